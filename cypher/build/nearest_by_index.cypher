// The nearest others of some queries that the vector index finds, the best first.
// $ids: LIST<STRING>  ids of the queries
// $neighbours: INTEGER  how many nearest neighbours each query gets (k)
// $candidates: INTEGER  how many queries are taken from the vector index
UNWIND $ids AS id
MATCH (query:QcgQuery {id: id})
WITH query, query.embedding AS vector
CALL (query, vector) {
  CALL db.index.vector.queryNodes('qcg_query_embedding', $candidates, vector) YIELD node AS other, score
  WITH query, other, other.id AS id, 2 * score - 1 AS score
  WHERE other <> query
  ORDER BY score DESC, id
  LIMIT $neighbours
  RETURN collect({id: id, score: score}) AS nearest
}
RETURN query.id AS id, nearest
