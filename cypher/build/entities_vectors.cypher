// A page of the entities by id: the labels of each in a projected graph, and its vector.
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many rows the page has
MATCH (entity:QcgEntity)
WHERE entity.id > $after
RETURN entity.id AS id,
       // A name of three or fewer letters or digits has no synonyms.
       CASE WHEN entity.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*' THEN ['Entity', 'Named'] ELSE ['Entity'] END AS labels,
       elementId(entity) AS element, entity.embedding AS embedding
ORDER BY id LIMIT $limit
