// What a chunk states about its entities, and the atoms that mention them, as a graph to look at.
// $chunk: STRING  the chunk's id
MATCH fromChunk = (:QcgChunk {id: $chunk})<-[:FROM_CHUNK]-(entity:QcgEntity)
OPTIONAL MATCH triples = (entity)-[:RELATED_TO {chunkId: $chunk}]->(:QcgEntity)
OPTIONAL MATCH mentions = (entity)<-[:MENTIONS]-(:QcgAtom)-[:FROM_CHUNK]->(:QcgChunk {id: $chunk})
RETURN fromChunk, triples, mentions
