// QCG by a client, first step: queries from the vector index, scored exactly.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many queries are taken from the vector index
CALL db.index.vector.queryNodes('qcg_query_embedding', $candidates, $questionVector) YIELD node AS query
RETURN query.id AS id, query.text AS text, 2 * vector.similarity.cosine(query.embedding, $questionVector) - 1 AS similarity
