// One row: the projected graph of all atoms with their embeddings, for GDS kNN; it has no relationships yet.
// $projection: STRING  the name of the projected graph
MATCH (atom:QcgAtom)
WITH gds.graph.project($projection, atom, null, {
  sourceNodeProperties: atom {.embedding}, targetNodeProperties: null
}) AS projected
RETURN projected.graphName AS name, projected.nodeCount AS nodes
