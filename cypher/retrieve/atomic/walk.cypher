// The best atoms by personalized PageRank of GDS, on the projection of the graph's present state; build/project_atoms makes it.
// $seeds: LIST<LIST<ANY>>  where the walk begins: lists of an element id and its weight, together 1
// $damping: FLOAT  the probability that the walk follows a relationship
// $iterations: INTEGER  how many rounds GDS computes at most
// $synonyms: BOOLEAN  whether SYNONYM_OF is followed
// $atoms: INTEGER  how many atoms are returned (K)
CALL () {
  UNWIND ['extract', 'synonyms'] AS name
  OPTIONAL MATCH (stage:QcgStage {name: name})
  WITH coalesce(toString(stage.revision), '-') + '_' + coalesce(toString(stage.finishedAt.epochMillis), '-') AS state
  ORDER BY name
  RETURN 'qcg_atoms:' + toString($synonyms) + reduce(all = '', one IN collect(state) | all + '_' + one) AS projection
}
CALL () {
  UNWIND $seeds AS seed
  MATCH (node) WHERE elementId(node) = seed[0]
  RETURN collect([node, seed[1]]) AS seeds
}
CALL gds.pageRank.stream(projection, {dampingFactor: $damping, maxIterations: $iterations, tolerance: 1e-10,
  relationshipWeightProperty: 'weight', sourceNodes: seeds}) YIELD nodeId, score
WITH gds.util.asNode(nodeId) AS node, score
WHERE score > 0 AND node:QcgAtom
WITH node, score ORDER BY score DESC, node.id LIMIT $atoms
RETURN elementId(node) AS node, score
ORDER BY score DESC
