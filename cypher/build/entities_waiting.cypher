// Entities that have not been joined with others of nearly the same name: new ones, and all that have another name now.
MATCH (entity:QcgEntity)
WHERE entity.joinedAs <> entity.name OR (entity.joinedAs IS NULL
  AND entity.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*') // one of three or fewer letters or digits has no synonyms
RETURN entity.id AS id
