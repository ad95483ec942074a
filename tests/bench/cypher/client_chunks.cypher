// QCG by a client, last but one step: the chunk of each reached query and the query's likeness to the question.
// $ids: LIST<STRING>  ids of queries
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
UNWIND $ids AS id
MATCH (query:QcgQuery {id: id})-[:FROM_CHUNK]->(chunk:QcgChunk)
RETURN query.id AS id, chunk.id AS chunk, 2 * vector.similarity.cosine(query.embedding, $questionVector) - 1 AS similarity
