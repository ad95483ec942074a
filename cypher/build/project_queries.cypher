// One row: the projected graph of all queries with their embeddings, for GDS kNN; it has no relationships yet.
// $projection: STRING  the name of the projected graph
MATCH (query:QcgQuery)
WITH gds.graph.project($projection, query, null, {
  sourceNodeProperties: query {.embedding}, targetNodeProperties: null
}) AS projected
RETURN projected.graphName AS name, projected.nodeCount AS nodes
