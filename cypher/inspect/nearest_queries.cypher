// The queries nearest to a query, with the chunks that all of them are from, as a graph to look at.
// $query: STRING  the query's id, or the question that it asks
MATCH (query:QcgQuery)
WHERE query.id = $query OR query.question = $query
MATCH from = (query)-[:FROM_CHUNK]->(:QcgChunk)
OPTIONAL MATCH near = (query)-[similar:SIMILAR_TO]->(:QcgQuery)-[:FROM_CHUNK]->(:QcgChunk)
RETURN from, near, similar.score AS score
ORDER BY score DESC
