// A page of the vectors of those entities that may have synonyms, by id: their names have four letters or digits at least.
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many rows the page has
MATCH (entity:QcgEntity)
WHERE entity.id > $after AND entity.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*'
RETURN entity.id AS id, entity.embedding AS embedding
ORDER BY id LIMIT $limit
