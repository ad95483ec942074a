// No rows; joins atoms to exactly the entities that they mention.
// $rows: LIST<MAP>  id (of the atom), entities (ids)
UNWIND $rows AS row
MATCH (atom:Atom {id: row.id})
CALL (atom, row) {
  MATCH (atom)-[mention:MENTIONS]->(entity:Entity)
  WHERE NOT entity.id IN row.entities
  DELETE mention
}
UNWIND row.entities AS id
MATCH (entity:Entity {id: id})
MERGE (atom)-[:MENTIONS]->(entity)
