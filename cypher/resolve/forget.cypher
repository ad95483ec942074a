// No rows; removes entities that were merged into others.
// $ids: LIST<STRING>  ids of the entities
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->(community:Community)
  SET community.stale = true
}
DETACH DELETE entity
