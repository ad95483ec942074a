// Entities whose name has no vector yet, or has changed since it got one.
// $limit: INTEGER  how many at most
MATCH (entity:QcgEntity)
WHERE entity.name <> '' AND (entity.embedding IS NULL OR coalesce(entity.embeddedName, '') <> entity.name)
RETURN entity.id AS id, entity.name AS name
ORDER BY id LIMIT $limit
