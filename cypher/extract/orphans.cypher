// No rows; removes those of the entities that no chunk states any more, with their aliases.
// $ids: LIST<STRING>  ids of entities
UNWIND $ids AS id
MATCH (entity:QcgEntity {id: id})
WHERE NOT EXISTS { (entity)-[:FROM_CHUNK]->(:QcgChunk) }
CALL (entity) {
  MATCH (alias:QcgAlias)-[:ALIAS_OF]->(entity)
  DETACH DELETE alias
}
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->(community:QcgCommunity)
  SET community.stale = true
}
DETACH DELETE entity
