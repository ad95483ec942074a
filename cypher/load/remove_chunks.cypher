// No rows; removes chunks and all that came from them alone: windows, queries, atoms, claims; entities are for extract/orphans, chunks of others for adopt/release_chunks.
// $rows: LIST<MAP>  id of a chunk
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
CALL (chunk) {
  MATCH (chunk)<-[:FROM_CHUNK]-(:QcgAtom)-[mention:MENTIONS {chunkId: chunk.id}]->()
  DELETE mention
}
OPTIONAL MATCH (derived:QcgWindow|QcgQuery|QcgAtom|QcgClaim)-[:FROM_CHUNK]->(chunk)
OPTIONAL MATCH (synthetic:QcgSyntheticQuery)-[:ANSWERED_BY]->(derived)
WITH collect(DISTINCT CASE WHEN chunk.qcgAdded IS NULL THEN chunk END) AS chunks,
     collect(DISTINCT CASE WHEN chunk.qcgAdded IS NOT NULL THEN chunk END) AS going,
     collect(DISTINCT derived) AS derived, collect(DISTINCT synthetic) AS synthetic
FOREACH (chunk IN chunks | DETACH DELETE chunk)
WITH going, derived, synthetic
CALL (going) {
  UNWIND going AS chunk
  MATCH (:QcgWindow|QcgQuery|QcgEntity|QcgAtom|QcgClaim)-[made:FROM_CHUNK]->(chunk)
  DELETE made
}
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
