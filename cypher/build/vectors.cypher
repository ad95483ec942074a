// A page of the queries by id: the labels of each in a projected graph, and its vector.
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many rows the page has
MATCH (query:QcgQuery)
WHERE query.id > $after
RETURN query.id AS id, ['Query'] AS labels, elementId(query) AS element, query.embedding AS embedding
ORDER BY id LIMIT $limit
