// No rows; removes the queries of all chunks.
MATCH (chunk:QcgChunk)
REMOVE chunk.generated
WITH chunk
MATCH (query:QcgQuery)-[:FROM_CHUNK]->(chunk)
DETACH DELETE query
