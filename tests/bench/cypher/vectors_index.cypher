// No rows; a vector index of these settings.
// $dimension: INTEGER  how many numbers an embedding has
// $m: INTEGER  connections of a node
// $ef: INTEGER  how many nodes are looked at while one is put in
// $quantized: BOOLEAN  whether its numbers are bytes
CREATE VECTOR INDEX bench_vectors
FOR (node:BenchVector) ON (node.embedding)
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.hnsw.m`: $m,
                         `vector.hnsw.ef_construction`: $ef, `vector.quantization.enabled`: $quantized } }
