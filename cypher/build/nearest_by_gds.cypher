// No rows; joins queries by SIMILAR_TO with the neighbours that GDS found, scored exactly.
// $projection: STRING  the projected graph that holds the neighbours
// $relationshipType: STRING  their relationship type in the projected graph
// $neighbours: INTEGER  how many nearest neighbours each query gets (k)
CALL gds.graph.relationships.stream($projection, [$relationshipType]) YIELD sourceNodeId, targetNodeId
WITH sourceNodeId, collect(targetNodeId) AS targetNodeIds
CALL (sourceNodeId, targetNodeIds) {
  WITH gds.util.asNode(sourceNodeId) AS query, gds.util.asNodes(targetNodeIds) AS others
  WITH query, query.embedding AS vector, others, COLLECT { MATCH (query)-[old:SIMILAR_TO]->(:QcgQuery) RETURN old } AS old
  FOREACH (edge IN old | DELETE edge)
  WITH query, vector, others
  UNWIND others AS other
  WITH query, other, 2 * vector.similarity.cosine(vector, other.embedding) - 1 AS score
  ORDER BY score DESC, other.id
  LIMIT $neighbours
  WITH query, collect({query: other, score: score}) AS nearest
  UNWIND range(1, size(nearest)) AS rank
  WITH query, rank, nearest[rank - 1].query AS other, nearest[rank - 1].score AS score
  MERGE (query)-[made:SIMILAR_TO]->(other)
  SET made.score = score, made.rank = rank
} IN TRANSACTIONS OF 1000 ROWS
