// One row: what a path search between entities looks at, and how many paths it finds.
// $entities: LIST<STRING>  the ids of the entities that are sources and targets
// $questionVector: LIST<FLOAT>  the question's embedding
// $algorithm: STRING  'beam' or 'all'
MATCH (entity:QcgEntity) WHERE entity.id IN $entities
WITH collect(entity) AS entities
CALL qcg.paths.effort(entities, entities, $questionVector, {algorithm: $algorithm}) YIELD paths, expansions
RETURN paths, expansions
