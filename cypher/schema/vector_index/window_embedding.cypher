// No rows; nearest Window nodes by the cosine of their embeddings.
// $dimension: INTEGER  how many numbers an embedding has
CREATE VECTOR INDEX window_embedding IF NOT EXISTS
FOR (node:Window) ON (node.embedding)
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine' } }
