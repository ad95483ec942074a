// No rows; removes those of the entities that no chunk states any more.
// $ids: LIST<STRING>  ids of entities
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
WHERE NOT EXISTS { (entity)-[:FROM_CHUNK]->(:Chunk) }
DETACH DELETE entity
