// No rows; nearest queries of all corpora, with the corpus as a property to filter by; needs Neo4j 2026.01.
// $dimension: INTEGER  how many numbers an embedding has
CYPHER 25
CREATE VECTOR INDEX bench_shared IF NOT EXISTS
FOR (query:BenchShared) ON (query.embedding)
WITH [query.corpus]
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false } }
