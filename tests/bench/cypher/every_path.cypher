// Every path of up to three triples between entities through no others, best first.
// $entities: LIST<STRING>  the ids of the entities that are sources and targets
// $questionVector: LIST<FLOAT>  the question's embedding
MATCH (entity:QcgEntity) WHERE entity.id IN $entities
WITH collect(entity) AS entities
CALL qcg.paths.beam(entities, entities, $questionVector, {beamWidth: 10000}) YIELD path, score
WHERE all(node IN nodes(path) WHERE node IN entities)
RETURN [step IN relationships(path) | step.id] AS triples, score
