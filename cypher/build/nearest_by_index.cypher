// The nearest others of some queries that the vector index finds, scored exactly, the best first.
// $ids: LIST<STRING>  ids of the queries
// $neighbours: INTEGER  how many nearest neighbours each query gets (k)
// $candidates: INTEGER  how many queries are taken from the vector index, to be scored exactly
UNWIND $ids AS id
MATCH (query:QcgQuery {id: id})
WITH query, query.embedding AS vector
CALL (query, vector) {
  CALL db.index.vector.queryNodes('qcg_query_embedding', $candidates, vector) YIELD node AS other
  WITH query, other, other.id AS id, 2 * vector.similarity.cosine(vector, other.embedding) - 1 AS score
  WHERE other <> query
  ORDER BY score DESC, id
  LIMIT $neighbours
  RETURN collect({id: id, score: score}) AS nearest
}
RETURN query.id AS id, nearest
