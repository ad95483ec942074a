// No rows; nearest Entity nodes by the cosine of their embeddings.
// $dimension: INTEGER  how many numbers an embedding has
CREATE VECTOR INDEX qcg_entity_embedding IF NOT EXISTS
FOR (node:QcgEntity) ON (node.embedding)
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false } }
