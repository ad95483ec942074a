// No rows; gives chunks the hash of their text.
// $rows: LIST<MAP>  id, textHash
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
SET chunk.textHash = row.textHash
