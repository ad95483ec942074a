// No rows; joins atoms to exactly the entities that they mention.
// $rows: LIST<MAP>  id (of the atom), entities (lists of two ids: the entity, and that of the name as the chunk has it)
UNWIND $rows AS row
MATCH (atom:Atom {id: row.id})
CALL (atom, row) {
  MATCH (atom)-[mention:MENTIONS]->(entity:Entity)
  WHERE NOT [entity.id, mention.entityId] IN row.entities
  DELETE mention
}
UNWIND row.entities AS ids
MATCH (entity:Entity {id: ids[0]})
MERGE (atom)-[:MENTIONS {entityId: ids[1]}]->(entity)
