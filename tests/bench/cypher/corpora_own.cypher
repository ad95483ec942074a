// The queries of the corpus nearest to a question, by the corpus's own index.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many are taken from the vector index, to be scored exactly
// $wanted: INTEGER  how many are returned
CALL db.index.vector.queryNodes('qcg_query_embedding', $candidates, $questionVector) YIELD node AS query
WITH query, vector.similarity.cosine(query.embedding, $questionVector) AS score
ORDER BY score DESC LIMIT $wanted
RETURN query.id AS id
