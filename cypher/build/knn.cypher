// One row: how many neighbours GDS's kNN found and keeps in a projected graph; one thread and a seed give the same each time.
// $projection: STRING  the projected graph, whose nodes have `embedding`
// $relationshipType: STRING  what the found neighbours are called in it
// $nodeLabel: STRING  the label of the nodes that are compared
// $topK: INTEGER  how many neighbours each node gets
// $randomSeed: INTEGER  seed of the descent
// $similarityCutoff: FLOAT  least similarity of a neighbour, as GDS reckons it; 0 for any
CALL gds.knn.mutate($projection, {mutateRelationshipType: $relationshipType, mutateProperty: 'score', nodeLabels: [$nodeLabel], nodeProperties: ['embedding'],
  topK: $topK, concurrency: 1, randomSeed: $randomSeed, similarityCutoff: $similarityCutoff}) YIELD relationshipsWritten
RETURN relationshipsWritten AS neighbours
