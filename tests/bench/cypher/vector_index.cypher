// The queries that the vector index finds for a question, with its own score: the bare call that QCG begins with.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many queries are wanted
CALL db.index.vector.queryNodes('qcg_query_embedding', $candidates, $questionVector) YIELD node AS query, score
RETURN query.id AS id, score
