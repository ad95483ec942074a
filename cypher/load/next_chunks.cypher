// No rows; joins each chunk to the next of its document, and to no other.
// $rows: LIST<MAP>  id, next (null for the last chunk)
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
CALL (chunk, row) {
  MATCH (chunk)-[stale:NEXT_CHUNK]->(other:QcgChunk)
  WHERE row.next IS NULL OR other.id <> row.next
  DELETE stale
}
MATCH (next:QcgChunk {id: row.next})
MERGE (chunk)-[:NEXT_CHUNK]->(next)
