// No rows; removes entities that were merged into others.
// $ids: LIST<STRING>  ids of the entities
UNWIND $ids AS id
MATCH (entity:Entity {id: id})
DETACH DELETE entity
