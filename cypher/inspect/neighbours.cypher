// The queries nearest to those of a chunk, and the chunks they are from, as a graph to look at.
// $chunk: STRING  the chunk's id
MATCH path = (:Chunk {id: $chunk})<-[:FROM_CHUNK]-(:Query)-[:SIMILAR_TO]->(:Query)-[:FROM_CHUNK]->(:Chunk)
RETURN path
