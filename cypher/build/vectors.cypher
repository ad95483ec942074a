// A page of the queries' vectors, by id.
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many rows the page has
MATCH (query:QcgQuery)
WHERE query.id > $after
RETURN query.id AS id, query.embedding AS embedding
ORDER BY id LIMIT $limit
