// No rows; joins atoms to exactly the entities that they mention as chunks state them.
// $rows: LIST<MAP>  id (of the atom), chunkId, entities (lists of two ids: the entity, and that of the name as the chunk has it)
UNWIND $rows AS row
MATCH (atom:QcgAtom {id: row.id})
CALL (atom, row) {
  MATCH (atom)-[mention:MENTIONS {chunkId: row.chunkId}]->(entity:QcgEntity)
  WHERE NOT [entity.id, mention.entityId] IN row.entities
  DELETE mention
}
UNWIND row.entities AS ids
MATCH (entity:QcgEntity {id: ids[0]})
MERGE (atom)-[:MENTIONS {entityId: ids[1], chunkId: row.chunkId}]->(entity)
