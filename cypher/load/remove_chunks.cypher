// No rows; removes chunks and all that came from them alone: windows, queries, atoms, claims; entities are for extract/orphans.
// $rows: LIST<MAP>  id of a chunk
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
CALL (chunk) {
  MATCH (chunk)<-[:FROM_CHUNK]-(:QcgAtom)-[mention:MENTIONS {chunkId: chunk.id}]->()
  DELETE mention
}
OPTIONAL MATCH (derived:!QcgEntity)-[:FROM_CHUNK]->(chunk)
OPTIONAL MATCH (synthetic:QcgSyntheticQuery)-[:ANSWERED_BY]->(derived)
WITH collect(DISTINCT chunk) AS chunks, collect(DISTINCT derived) AS derived, collect(DISTINCT synthetic) AS synthetic
FOREACH (chunk IN chunks | DETACH DELETE chunk)
WITH derived, synthetic
CALL (derived) {
  UNWIND derived AS node
  WITH node WHERE NOT EXISTS { (node)-[:FROM_CHUNK]->() }
  DETACH DELETE node
}
WITH synthetic
CALL (synthetic) {
  UNWIND synthetic AS node
  WITH node WHERE NOT EXISTS { (node)-[:ANSWERED_BY]->() }
  DETACH DELETE node
}
