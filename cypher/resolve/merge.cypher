// No rows; merges entities into others: what was theirs is the others' from now on, and their names are kept as aliases.
// $rows: LIST<MAP>  alias (id of the entity that goes), entity (id of the one that stays), score
UNWIND $rows AS row
MATCH (going:QcgEntity {id: row.alias})
MATCH (entity:QcgEntity {id: row.entity})
MERGE (alias:QcgAlias:Alias {id: row.alias})
SET alias.name = going.name, alias.score = row.score
MERGE (alias)-[:ALIAS_OF]->(entity)
WITH going, entity
CALL (going, entity) {
  MATCH (earlier:QcgAlias)-[old:ALIAS_OF]->(going)
  CREATE (earlier)-[:ALIAS_OF]->(entity)
  DELETE old
}
CALL (going, entity) {
  MATCH (going)-[old:FROM_CHUNK]->(chunk)
  CREATE (entity)-[new:FROM_CHUNK]->(chunk)
  SET new = properties(old)
  DELETE old
}
CALL (going, entity) {
  MATCH (atom:QcgAtom)-[old:MENTIONS]->(going)
  CREATE (atom)-[new:MENTIONS]->(entity)
  SET new = properties(old)
  DELETE old
}
CALL (going, entity) {
  MATCH (claim:QcgClaim)-[old:ABOUT]->(going)
  CREATE (claim)-[:ABOUT {entityId: old.entityId}]->(entity)
  DELETE old
}
