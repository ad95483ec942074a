// No rows; atoms note their nearest others (ids, best first) that GDS found, scored exactly.
// $projection: STRING  the projected graph that holds the neighbours
// $relationshipType: STRING  their relationship type in the projected graph
// $neighbours: INTEGER  how many nearest neighbours each atom notes (k)
CALL gds.graph.relationships.stream($projection, [$relationshipType]) YIELD sourceNodeId, targetNodeId
WITH sourceNodeId, collect(targetNodeId) AS targetNodeIds
CALL (sourceNodeId, targetNodeIds) {
  WITH gds.util.asNode(sourceNodeId) AS atom, gds.util.asNodes(targetNodeIds) AS others
  WITH atom, atom.embedding AS vector, others
  UNWIND others AS other
  WITH atom, other, vector.similarity.cosine(vector, other.embedding) AS score
  ORDER BY score DESC, other.id
  LIMIT $neighbours
  WITH atom, collect(other.id) AS nearest
  SET atom.nearest = nearest
} IN TRANSACTIONS OF 1000 ROWS
