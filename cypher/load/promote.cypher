// No rows; if a chunk that represents others with the same text is removed, one of them takes its place, with all that was made from it.
// $rows: LIST<MAP>  id of a chunk that goes
UNWIND $rows AS row
MATCH (going:QcgChunk {id: row.id})<-[:SAME_TEXT_AS]-(twin:QcgChunk)
WHERE NOT twin.id IN [other IN $rows | other.id]
WITH going, twin ORDER BY twin.id
WITH going, head(collect(twin)) AS next, tail(collect(twin)) AS others
CALL (next, others) {
  UNWIND [next] + others AS twin
  MATCH (twin)-[old:SAME_TEXT_AS]->()
  DELETE old
}
FOREACH (twin IN others | MERGE (twin)-[:SAME_TEXT_AS]->(next))
SET next += going {.generated, .expanded, .extracted, .extractedBy, .namesOnly, .d2qAllEmbedding, .d2qKeptEmbedding}
WITH going, next
CALL (going, next) {
  MATCH (made:QcgWindow|QcgQuery|QcgEntity|QcgAtom|QcgClaim)-[old:FROM_CHUNK]->(going)
  CREATE (made)-[new:FROM_CHUNK]->(next)
  SET new = properties(old)
  DELETE old
  WITH made, going, next
  MATCH (made)-[mention:MENTIONS {chunkId: going.id}]->()
  SET mention.chunkId = next.id
}
CALL (going, next) {
  MATCH (:QcgEntity)-[relation:RELATED_TO {chunkId: going.id}]->()
  SET relation.chunkId = next.id
}
WITH going, next WHERE going.embedding IS NOT NULL // others may have removed theirs
CALL db.create.setNodeVectorProperty(next, 'embedding', going.embedding)
