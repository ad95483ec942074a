// Entities that have not been joined with others of nearly the same name: new ones, and all that have another name now.
MATCH (entity:QcgEntity)
WHERE entity.joinedAs IS NULL OR entity.joinedAs <> entity.name
RETURN entity.id AS id
