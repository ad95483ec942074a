// Entities whose name has no vector yet, or has changed since it got one.
// $after: STRING  the id behind which they begin; empty for the first
// $until: STRING  the last id that may be among them
// $limit: INTEGER  how many at most
MATCH (entity:QcgEntity)
WHERE $after < entity.id <= $until AND entity.name <> ''
  AND (entity.embedding IS NULL OR coalesce(entity.embeddedName, '') <> entity.name)
RETURN entity.id AS id, entity.name AS name
ORDER BY id LIMIT $limit
