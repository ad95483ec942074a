// No rows; gives chunks of ours their vectors again.
// $rows: LIST<MAP>  id, embedding (unit length)
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
CALL db.create.setNodeVectorProperty(chunk, 'embedding', row.embedding)
