// Entities that have not been joined with those of nearly the same name: new ones, and those that have another name now.
MATCH (entity:QcgEntity)
WHERE entity.joinedAs IS NULL OR entity.joinedAs <> entity.name
RETURN entity.id AS id
