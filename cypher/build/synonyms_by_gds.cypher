// No rows; joins entities by SYNONYM_OF with the neighbours that GDS found, scored exactly.
// $projection: STRING  the projected graph that holds the neighbours
// $relationshipType: STRING  their relationship type in the projected graph
// $similarity: FLOAT  the cosine above which two names are synonyms
// $neighbours: INTEGER  how many synonyms an entity brings at most
CALL gds.graph.relationships.stream($projection, [$relationshipType]) YIELD sourceNodeId, targetNodeId
WITH sourceNodeId, collect(targetNodeId) AS targetNodeIds
CALL (sourceNodeId, targetNodeIds) {
  WITH gds.util.asNode(sourceNodeId) AS entity, gds.util.asNodes(targetNodeIds) AS others
  UNWIND others AS other
  WITH entity, other, 2 * vector.similarity.cosine(entity.embedding, other.embedding) - 1 AS score
  WHERE score > $similarity
  ORDER BY score DESC, other.id
  LIMIT $neighbours
  WITH CASE WHEN entity.id < other.id THEN [entity, other] ELSE [other, entity] END AS pair, score
  WITH pair[0] AS one, pair[1] AS other, score
  MERGE (one)-[synonym:SYNONYM_OF]->(other)
  SET synonym.score = score
} IN TRANSACTIONS OF 1000 ROWS
