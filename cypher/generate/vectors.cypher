// Per chunk its vector, and the texts and vectors of the queries that it has.
// $chunkIds: LIST<STRING>  the ids of the chunks
UNWIND $chunkIds AS chunkId
MATCH (chunk:QcgChunk {id: chunkId})
OPTIONAL MATCH (query:QcgQuery)-[:FROM_CHUNK]->(chunk)
RETURN chunk.id AS chunkId, chunk.embedding AS embedding,
       collect(query.text) AS texts, collect(query.embedding) AS vectors
