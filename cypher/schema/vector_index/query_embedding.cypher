// No rows; nearest Query nodes by the cosine of their embeddings.
// $dimension: INTEGER  how many numbers an embedding has
CREATE VECTOR INDEX qcg_query_embedding IF NOT EXISTS
FOR (node:QcgQuery) ON (node.embedding)
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false } }
