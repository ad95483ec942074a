// The paths between the entities of some triples, best first, by beam search in the database (KG-CQR, Algorithms 1 and 2).
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $hits: LIST<STRING>  the ids of the triples
// $beamWidth: INTEGER  with how many triples a partial path goes on (W)
// $pathLength: INTEGER  how many triples a path has at most (L)
// $direction: STRING  'outgoing' follows triples from source to target, 'undirected' both ways
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
MATCH (source:QcgEntity)-[triple:RELATED_TO]->(target:QcgEntity)
WHERE triple.id IN $hits
UNWIND [source, target] AS entity
WITH collect(DISTINCT entity) AS entities
CALL qcg.paths.beam(entities, entities, $questionVector,
  {beamWidth: $beamWidth, maxLength: $pathLength, direction: $direction, permitted: $permitted, snapshot: true,
   corpus: 'default'})
  YIELD path, score
WHERE all(node IN nodes(path) WHERE node IN entities)
RETURN [triple IN relationships(path) | triple.id] AS triples, score
ORDER BY score DESC, triples
