// The queries of a corpus nearest to a question, among those that the index of all corpora finds.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many are taken from the vector index, to be scored exactly
// $wanted: INTEGER  how many are returned
// $corpus: STRING  the name of the corpus
CALL db.index.vector.queryNodes('bench_shared', $candidates, $questionVector) YIELD node AS query
WHERE query.corpus = $corpus
WITH query, vector.similarity.cosine(query.embedding, $questionVector) AS score
ORDER BY score DESC LIMIT $wanted
RETURN query.id AS id
