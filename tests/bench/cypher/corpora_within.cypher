// The queries of a corpus nearest to a question, by the index of all corpora, which filters; needs Neo4j 2026.01.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many are taken from the vector index, to be scored exactly
// $wanted: INTEGER  how many are returned
// $corpus: STRING  the name of the corpus
CYPHER 25
MATCH (query:BenchShared)
SEARCH query IN (VECTOR INDEX bench_shared FOR $questionVector WHERE query.corpus = $corpus LIMIT $candidates)
WITH query, vector.similarity.cosine(query.embedding, $questionVector) AS score
ORDER BY score DESC LIMIT $wanted
RETURN query.id AS id
