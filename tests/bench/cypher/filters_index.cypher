// No rows; an index of queries with the number of their document as a property to filter by; needs Neo4j 2026.01.
// $dimension: INTEGER  how many numbers an embedding has
CYPHER 25
CREATE VECTOR INDEX bench_filtered IF NOT EXISTS
FOR (query:BenchFiltered) ON (query.embedding)
WITH [query.rank]
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false } }
