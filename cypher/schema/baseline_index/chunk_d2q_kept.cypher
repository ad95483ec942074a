// No rows; nearest chunks by their text with kept generated queries appended.
// $dimension: INTEGER  how many numbers an embedding has
CREATE VECTOR INDEX qcg_chunk_d2q_kept IF NOT EXISTS
FOR (node:QcgChunk) ON (node.d2qKeptEmbedding)
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false } }
