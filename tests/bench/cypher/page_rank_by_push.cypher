// The 25 best atoms by personalized PageRank, by forward push.
// $seeds: LIST<MAP>  id and weight of each seed
// $damping: FLOAT  the probability that the walk follows a relationship
// $tolerance: FLOAT  by how much a score may fall short, per unit of weighted degree
UNWIND $seeds AS seed
MATCH (node:QcgAtom|QcgEntity {id: seed.id})
WITH collect([node, seed.weight]) AS seeds
CALL qcg.pageRank.push(seeds, {damping: $damping, tolerance: $tolerance, atomsAlone: true, best: 25}) YIELD node, score
RETURN node.id AS id, score
ORDER BY score DESC, id LIMIT 25
