// No rows; joins queries by SIMILAR_TO with their nearest others, in the place of the former ones.
// $found: LIST<MAP>  id, and nearest: id and score of the nearest others, the best first
// $cursor: STRING  the id up to which an interrupted build need not join again
UNWIND $found AS one
MATCH (query:QcgQuery {id: one.id})
WITH query, one.nearest AS nearest, COLLECT { MATCH (query)-[old:SIMILAR_TO]->(:QcgQuery) RETURN old } AS old
FOREACH (edge IN old | DELETE edge)
WITH query, nearest
CALL (query, nearest) {
  UNWIND range(1, size(nearest)) AS rank
  MATCH (other:QcgQuery {id: nearest[rank - 1].id})
  CREATE (query)-[:SIMILAR_TO {score: nearest[rank - 1].score, rank: rank}]->(other)
}
WITH count(*) AS queries
OPTIONAL MATCH (stage:QcgStage {name: 'build'})
SET stage.cursor = $cursor
