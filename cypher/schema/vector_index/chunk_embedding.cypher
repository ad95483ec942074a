// No rows; nearest Chunk nodes by the cosine of their embeddings.
// $dimension: INTEGER  how many numbers an embedding has
CREATE VECTOR INDEX qcg_chunk_embedding IF NOT EXISTS
FOR (node:QcgChunk) ON (node.embedding)
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false } }
