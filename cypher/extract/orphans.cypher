// No rows; removes those of the entities that no chunk states any more, and aliases that no chunk uses.
// $ids: LIST<STRING>  ids of entities
UNWIND $ids AS id
MATCH (entity:QcgEntity {id: id})
CALL (entity) {
  MATCH (alias:QcgAlias)-[:ALIAS_OF]->(entity)
  WHERE NOT EXISTS { (entity)-[statement:FROM_CHUNK]->(:QcgChunk) WHERE statement.entityId = alias.id }
  DETACH DELETE alias
}
WITH entity
WHERE NOT EXISTS { (entity)-[:FROM_CHUNK]->(:QcgChunk) }
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->(community:QcgCommunity)
  SET community.stale = true
}
DETACH DELETE entity
