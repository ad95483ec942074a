// No rows; joins each adopted chunk to the next of its document, unless it is joined to one already.
// $rows: LIST<MAP>  id, next (null for the last chunk)
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
CALL (chunk, row) {
  MATCH (chunk)-[stale:NEXT_CHUNK]->(other:QcgChunk)
  WHERE stale.qcgAdded AND (row.next IS NULL OR other.id <> row.next)
  DELETE stale
}
MATCH (next:QcgChunk {id: row.next})
WHERE NOT EXISTS { (chunk)-[:NEXT_CHUNK]->() }
MERGE (chunk)-[joined:NEXT_CHUNK]->(next)
ON CREATE SET joined.qcgAdded = true
