// No rows; sets the vectors of chunks with their generated queries appended, for the baselines d2q and d2q--.
// $rows: LIST<MAP>  per chunk chunkId, all and kept (vectors), mark
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunkId})
SET chunk.expanded = row.mark
WITH chunk, row
CALL db.create.setNodeVectorProperty(chunk, 'd2qAllEmbedding', row.all)
CALL db.create.setNodeVectorProperty(chunk, 'd2qKeptEmbedding', row.kept)
