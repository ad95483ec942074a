// A row if queries have more neighbours than wanted, as two builds at once left them: how many too many.
// $neighbours: INTEGER  how many nearest neighbours each query has (k); 0 if that is not known
MATCH (query:QcgQuery)
WHERE $neighbours > 0
WITH COUNT { MATCH (query)-[:SIMILAR_TO]->(other:QcgQuery) RETURN DISTINCT other } - $neighbours AS surplus
WHERE surplus > 0
WITH sum(surplus) AS number WHERE number > 0
RETURN 'neighbours of queries' AS kind, 'build' AS stage, number
