// A page of all entities by id.
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many a page has
MATCH (entity:QcgEntity)
WHERE entity.id > $after
RETURN entity.id AS id
ORDER BY id LIMIT $limit
