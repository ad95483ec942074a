// No rows; makes entities of aliases again: what was theirs before they were merged is theirs again.
// $ids: LIST<STRING>  ids of aliases
UNWIND $ids AS id
MATCH (alias:QcgAlias {id: id})-[:ALIAS_OF]->(entity:QcgEntity)
MERGE (own:QcgEntity:Entity {id: alias.id})
DETACH DELETE alias
WITH id, entity, own
CALL (id, entity, own) {
  MATCH (entity)-[old:FROM_CHUNK {entityId: id}]->(chunk)
  CREATE (own)-[new:FROM_CHUNK]->(chunk)
  SET new = properties(old)
  DELETE old
}
CALL (id, entity, own) {
  MATCH (atom:QcgAtom)-[old:MENTIONS {entityId: id}]->(entity)
  CREATE (atom)-[new:MENTIONS]->(own)
  SET new = properties(old)
  DELETE old
}
CALL (id, entity, own) {
  MATCH (claim:QcgClaim)-[old:ABOUT {entityId: id}]->(entity)
  CREATE (claim)-[:ABOUT {entityId: id}]->(own)
  DELETE old
}
