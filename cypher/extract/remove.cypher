// No rows; removes what chunks stated before and do not state any more, and marks the chunks as done.
// $rows: LIST<MAP>  per chunk chunkId, the ids of what stays (entities, relations, atoms, claims), mark, source, namesOnly (true where no language model has read it, else null)
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunkId})
SET chunk.extracted = row.mark, chunk.extractedBy = row.source, chunk.namesOnly = row.namesOnly
WITH chunk, row
CALL (chunk, row) {
  MATCH ()-[relation:RELATED_TO {chunkId: chunk.id}]->()
  WHERE NOT relation.id IN row.relations
  DELETE relation
}
CALL (chunk, row) {
  MATCH (claim:QcgClaim)-[:FROM_CHUNK]->(chunk)
  WHERE NOT claim.id IN row.claims
  DETACH DELETE claim
}
CALL (chunk, row) {
  MATCH (atom:QcgAtom)-[statement:FROM_CHUNK]->(chunk)
  WHERE NOT atom.id IN row.atoms
  DELETE statement
  WITH DISTINCT atom, chunk
  CALL (atom, chunk) {
    MATCH (atom)-[mention:MENTIONS {chunkId: chunk.id}]->()
    DELETE mention
  }
  // What another chunk states as well stays.
  WITH atom WHERE NOT EXISTS { (atom)-[:FROM_CHUNK]->() }
  DETACH DELETE atom
}
CALL (chunk, row) {
  MATCH (entity:QcgEntity)-[statement:FROM_CHUNK]->(chunk)
  WHERE NOT statement.entityId IN row.entities
  DELETE statement
}
