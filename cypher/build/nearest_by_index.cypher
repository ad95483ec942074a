// One row: a slice of the queries was joined by SIMILAR_TO with the nearest others that the vector index finds.
// $after: STRING  the id that the slice begins behind; '' for the first
// $slice: INTEGER  how many queries the slice has
// $neighbours: INTEGER  how many nearest neighbours each query gets (k)
// $candidates: INTEGER  how many queries are taken from the vector index, to be scored exactly
MATCH (query:QcgQuery)
WHERE query.id > $after
WITH query ORDER BY query.id LIMIT $slice
WITH query, query.embedding AS vector, COLLECT { MATCH (query)-[old:SIMILAR_TO]->(:QcgQuery) RETURN old } AS old
FOREACH (edge IN old | DELETE edge)
WITH query, vector
CALL (query, vector) {
  CALL db.index.vector.queryNodes('qcg_query_embedding', $candidates, vector) YIELD node AS other
  WITH query, other, 2 * vector.similarity.cosine(vector, other.embedding) - 1 AS score
  WHERE other <> query
  ORDER BY score DESC, other.id
  LIMIT $neighbours
  WITH query, collect({query: other, score: score}) AS nearest
  UNWIND range(1, size(nearest)) AS rank
  WITH query, rank, nearest[rank - 1].query AS other, nearest[rank - 1].score AS score
  MERGE (query)-[made:SIMILAR_TO]->(other)
  SET made.score = score, made.rank = rank
  RETURN count(made) AS made
}
WITH max(query.id) AS last, count(query) AS queries, sum(made) AS relationships
OPTIONAL MATCH (stage:QcgStage {name: 'build'})
SET stage.cursor = coalesce(last, stage.cursor)
RETURN last, queries, relationships
