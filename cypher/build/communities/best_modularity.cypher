// One row: the modularity that Leiden reaches on the whole projected graph when it starts from scratch.
// $projection: STRING  the name of the projected graph
// $gamma: FLOAT  resolution of the modularity
// $seed: INTEGER  random seed of Leiden
CALL gds.leiden.stats($projection, {relationshipWeightProperty: 'weight', gamma: $gamma, randomSeed: $seed, concurrency: 1})
YIELD modularity
RETURN modularity
