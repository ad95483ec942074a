// No rows; removes the queries of chunks that are not kept any more, and marks the chunks as done.
// $rows: LIST<MAP>  per chunk chunkId, keep (ids of the queries that stay), mark
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunkId})
SET chunk.generated = row.mark
WITH chunk, row
MATCH (query:QcgQuery)-[:FROM_CHUNK]->(chunk)
WHERE NOT query.id IN row.keep
DETACH DELETE query
