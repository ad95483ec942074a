// No rows; gives chunks that stayed the same their place in the changed document.
// $rows: LIST<MAP>  id, index
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
SET chunk.index = row.index
