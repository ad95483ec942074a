// One row: the completed subgraph of a question (KG-CQR), its triples in the order of the context, and its paths.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $kept: LIST<STRING>  the ids of the triples to begin with; empty for the nearest ones
// $candidates: INTEGER  how many triples are taken from the vector index, to be scored exactly
// $triples: INTEGER  how many nearest triples the subgraph begins with (k)
// $completion: STRING  how paths between its entities are found: 'beam', 'all' or 'none'
// $beamWidth: INTEGER  how many partial paths of a source survive each step (W)
// $pathLength: INTEGER  how many triples a path has at most (L)
// $direction: STRING  'outgoing' follows triples from source to target, 'undirected' both ways
// $addedTriples: INTEGER  how many triples the paths add at most (K)
CALL () {
  UNWIND CASE size($kept) WHEN 0 THEN [1] ELSE [] END AS once
  CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector)
    YIELD relationship AS triple
  WITH triple, 2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1 AS similarity
  WHERE similarity IS NOT NULL AND startNode(triple):QcgEntity // what was deleted meanwhile holds nothing
  WITH triple, similarity ORDER BY similarity DESC, triple.id LIMIT $triples
  RETURN triple, similarity
  UNION ALL
  MATCH (:QcgEntity)-[triple:RELATED_TO]->()
  WHERE triple.id IN $kept
  RETURN triple, 2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1 AS similarity
}
WITH triple ORDER BY similarity DESC, triple.id
WITH collect(triple) AS hits
CALL (hits) {
  UNWIND hits AS triple
  UNWIND [startNode(triple), endNode(triple)] AS entity
  RETURN collect(DISTINCT entity) AS entities
}
CALL (entities) {
  CALL (entities) {
    WITH entities WHERE $completion = 'beam'
    CALL qcg.paths.beam(entities, entities, $questionVector,
      {beamWidth: $beamWidth, maxLength: $pathLength, direction: $direction, corpus: 'default'}) YIELD path, score
    RETURN path, score
    UNION ALL
    WITH entities WHERE $completion = 'all'
    CALL qcg.paths.all(entities, entities, $questionVector,
      {maxLength: $pathLength, direction: $direction, corpus: 'default'})
      YIELD path, score
    RETURN path, score
  }
  WITH path, score
  // A way through an entity that the question did not find leads away from it.
  WHERE all(entity IN nodes(path) WHERE entity IN entities)
  RETURN collect({path: path, score: score}) AS ways
}
WITH hits, ways, reduce(along = [], way IN ways | along + [step IN relationships(way.path) WHERE NOT step IN along]) AS along
WITH hits, ways, along, [step IN along WHERE NOT step IN hits][..$addedTriples] AS added
WITH hits, added, [way IN ways WHERE all(step IN relationships(way.path) WHERE step IN hits OR step IN added)] AS ways,
     [step IN along WHERE step IN hits OR step IN added] + [hit IN hits WHERE NOT hit IN along] AS triples
RETURN [triple IN triples WHERE triple.ttr + triple.chunkId IS NOT NULL | {
         id: triple.id, source: startNode(triple).name, predicate: triple.predicate, target: endNode(triple).name,
         ttr: triple.ttr, chunk: triple.chunkId, added: triple IN added,
         similarity: 2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1
       }] AS triples,
       [way IN ways[..100] | {score: way.score, triples: [step IN relationships(way.path) | step.id]}] AS paths
