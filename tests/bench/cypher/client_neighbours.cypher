// QCG by a client, once per hop: the nearest neighbours of queries.
// $ids: LIST<STRING>  ids of queries
// $neighbours: INTEGER  how many nearest neighbours of a query are followed (k)
UNWIND $ids AS id
MATCH (query:QcgQuery {id: id})-[step:SIMILAR_TO]->(other:QcgQuery)
WHERE step.rank <= $neighbours
RETURN query.id AS source, other.id AS id, other.text AS text, step.score AS weight
