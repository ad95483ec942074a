// No rows; removes entities that were merged into others.
// $ids: LIST<STRING>  ids of the entities
UNWIND $ids AS id
MATCH (entity:QcgEntity {id: id})
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->(community:QcgCommunity)
  SET community.stale = true
}
DETACH DELETE entity
