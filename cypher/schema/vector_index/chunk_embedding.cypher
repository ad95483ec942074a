// No rows; nearest Chunk nodes by the cosine of their embeddings.
// $dimension: INTEGER  how many numbers an embedding has
CREATE VECTOR INDEX chunk_embedding IF NOT EXISTS
FOR (node:Chunk) ON (node.embedding)
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine' } }
