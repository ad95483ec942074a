// No rows; gives entities the vector of their name.
// $rows: LIST<MAP>  id, name, embedding
UNWIND $rows AS row
MATCH (entity:QcgEntity {id: row.id})
SET entity.embeddedName = row.name
WITH entity, row
CALL db.create.setNodeVectorProperty(entity, 'embedding', row.embedding)
