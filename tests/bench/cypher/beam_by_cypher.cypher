// The paths of KG-CQR's beam search written in plain Cypher, for comparison with qcg.paths.beam: three steps at most.
// $entities: LIST<STRING>  the ids of the entities that are sources and targets
// $questionVector: LIST<FLOAT>  the question's embedding
// $beamWidth: INTEGER  how many partial paths of a source survive each step
MATCH (entity:QcgEntity) WHERE entity.id IN $entities
WITH collect(entity) AS targets
UNWIND targets AS source
CALL (source, targets) {
  MATCH (source)-[step:RELATED_TO]->(reached:QcgEntity)
  WHERE reached <> source
  WITH [source, reached] AS route, [step] AS steps,
       2 * vector.similarity.cosine(step.embedding, $questionVector) - 1 AS total
  ORDER BY total DESC, step.id LIMIT $beamWidth
  RETURN collect({route: route, steps: steps, total: total}) AS first
}
CALL (first, targets) {
  UNWIND first AS way
  WITH way WHERE NOT way.route[-1] IN targets
  WITH way, way.route[-1] AS last
  MATCH (last)-[step:RELATED_TO]->(reached:QcgEntity)
  WHERE NOT reached IN way.route
  WITH way.route + reached AS route, way.steps + step AS steps,
       way.total + 2 * vector.similarity.cosine(step.embedding, $questionVector) - 1 AS total
  ORDER BY total DESC, [step IN steps | step.id] LIMIT $beamWidth
  RETURN collect({route: route, steps: steps, total: total}) AS second
}
CALL (second, targets) {
  UNWIND second AS way
  WITH way WHERE NOT way.route[-1] IN targets
  WITH way, way.route[-1] AS last
  MATCH (last)-[step:RELATED_TO]->(reached:QcgEntity)
  WHERE NOT reached IN way.route
  WITH way.route + reached AS route, way.steps + step AS steps,
       way.total + 2 * vector.similarity.cosine(step.embedding, $questionVector) - 1 AS total
  ORDER BY total DESC, [step IN steps | step.id] LIMIT $beamWidth
  RETURN collect({route: route, steps: steps, total: total}) AS third
}
UNWIND first + second + third AS way
WITH way, targets
WHERE way.route[-1] IN targets
RETURN [step IN way.steps | step.id] AS triples, way.total / size(way.steps) AS score
ORDER BY score DESC, triples
