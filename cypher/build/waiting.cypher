// Queries that are not joined with as many others as they should be: new ones, and all that lost one.
// $neighbours: INTEGER  how many nearest neighbours each query gets (k)
MATCH (query:QcgQuery)
WHERE COUNT { (query)-[:SIMILAR_TO]->() } < $neighbours
RETURN query.id AS id
