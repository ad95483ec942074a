// The ids of the permitted queries nearest to a question, by the index that filters; needs Neo4j 2026.01.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many queries are taken from the vector index
// $wanted: INTEGER  how many are returned
// $most: INTEGER  from which number on documents are not permitted
CYPHER 25
MATCH (query:BenchFiltered)
SEARCH query IN (VECTOR INDEX bench_filtered FOR $questionVector WHERE query.rank < $most LIMIT $candidates) SCORE AS score
RETURN query.id AS id ORDER BY score DESC LIMIT $wanted
