// A page of entities by id, with how many chunks state each.
// $after: STRING  the id behind which the page begins; empty for the first
// $limit: INTEGER  how many entities at most
MATCH (entity:QcgEntity)
WHERE entity.id > $after
WITH entity ORDER BY entity.id LIMIT $limit
RETURN entity.id AS id, entity.name AS name, entity.type AS type, COUNT { (entity)-[:FROM_CHUNK]->() } AS mentions
ORDER BY id
