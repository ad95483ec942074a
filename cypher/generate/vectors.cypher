// Per chunk its vector, and the texts and vectors of the queries that it has.
// $chunkIds: LIST<STRING>  the ids of the chunks
UNWIND $chunkIds AS chunkId
MATCH (chunk:Chunk {id: chunkId})
OPTIONAL MATCH (query:Query)-[:FROM_CHUNK]->(chunk)
RETURN chunk.id AS chunkId, chunk.embedding AS embedding,
       collect(query.text) AS texts, collect(query.embedding) AS vectors
