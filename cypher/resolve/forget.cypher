// No rows; removes entities that were merged into others.
// $ids: LIST<STRING>  ids of the entities
UNWIND $ids AS id
// One whose other had gone by then was not merged, and stays.
MATCH (entity:QcgEntity {id: id}) WHERE EXISTS { (:QcgAlias {id: id})-[:ALIAS_OF]->() }
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->(community:QcgCommunity)
  SET community.stale = true
}
DETACH DELETE entity
