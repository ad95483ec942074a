// The queries nearest to those of a chunk, and the chunks they are from, as a graph to look at.
// $chunk: STRING  the chunk's id
MATCH path = (:QcgChunk {id: $chunk})<-[:FROM_CHUNK]-(:QcgQuery)-[:SIMILAR_TO]->(:QcgQuery)-[:FROM_CHUNK]->(:QcgChunk)
RETURN path
