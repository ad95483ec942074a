// The 25 best atoms by personalized PageRank, by GDS on a projection.
// $projection: STRING  the projected atom-entity graph
// $seeds: LIST<MAP>  id and weight of each seed
// $damping: FLOAT  the probability that the walk follows a relationship
// $iterations: INTEGER  how many rounds at most
UNWIND $seeds AS seed
MATCH (node:QcgAtom|QcgEntity {id: seed.id})
WITH collect([node, seed.weight]) AS seeds
CALL gds.pageRank.stream($projection, {dampingFactor: $damping, maxIterations: $iterations,
  relationshipWeightProperty: 'weight', sourceNodes: seeds}) YIELD nodeId, score
WITH gds.util.asNode(nodeId) AS node, score
WHERE score > 0 AND node:QcgAtom
RETURN node.id AS id, score
ORDER BY score DESC, id LIMIT 25
