// What a chunk states about its entities, and the atoms that mention them, as a graph to look at.
// $chunk: STRING  the chunk's id
MATCH fromChunk = (:Chunk {id: $chunk})<-[:FROM_CHUNK]-(entity:Entity)
OPTIONAL MATCH triples = (entity)-[:RELATED_TO {chunkId: $chunk}]->(:Entity)
OPTIONAL MATCH mentions = (entity)<-[:MENTIONS]-(:Atom)-[:FROM_CHUNK]->(:Chunk {id: $chunk})
RETURN fromChunk, triples, mentions
