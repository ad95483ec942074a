// No rows; nearest chunks by their text with all generated queries appended.
// $dimension: INTEGER  how many numbers an embedding has
CREATE VECTOR INDEX chunk_d2q_all IF NOT EXISTS
FOR (node:Chunk) ON (node.d2qAllEmbedding)
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine' } }
