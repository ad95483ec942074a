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
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
CALL () {
  UNWIND CASE size($kept) WHEN 0 THEN [1] ELSE [] END AS once
  CALL () {
    CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector) YIELD relationship AS triple
    WHERE startNode(triple):QcgEntity
    WITH triple, $permitted IS NULL OR EXISTS {
      (:QcgChunk {id: triple.chunkId})<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
    RETURN collect(CASE WHEN isPermitted THEN triple END) AS near, count(*) AS seen
  }
  CALL (near, seen) {
    UNWIND near AS triple RETURN triple
    UNION
    // Where the index has more and brings too few that are permitted, all of these are looked at.
    UNWIND CASE WHEN size(near) < 2 * $triples AND 2 * seen >= $candidates THEN $permitted END AS id
    MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
    MATCH (start:QcgEntity)-[triple:RELATED_TO {chunkId: chunk.id}]->()
    RETURN triple
  }
  WITH triple, 2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1 AS similarity
  WHERE similarity IS NOT NULL AND startNode(triple):QcgEntity // what was deleted meanwhile holds nothing
  WITH triple, similarity ORDER BY similarity DESC, triple.id LIMIT $triples
  RETURN triple, similarity
  UNION ALL
  MATCH (:QcgEntity)-[triple:RELATED_TO]->()
  WHERE triple.id IN $kept AND ($permitted IS NULL OR EXISTS {
    (:QcgChunk {id: triple.chunkId})<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted })
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
  UNWIND CASE $completion WHEN 'none' THEN [] ELSE entities END AS source
  CALL (source, entities) {
    CALL (source) {
      MATCH (source)-[step:RELATED_TO]->(reached:QcgEntity)
      RETURN step, reached
      UNION ALL
      WITH source WHERE $direction = 'undirected'
      MATCH (source)<-[step:RELATED_TO]-(reached:QcgEntity)
      RETURN step, reached
    }
    WITH step, reached WHERE reached <> source AND ($completion = 'beam' OR reached IN entities) AND ($permitted IS NULL OR EXISTS {
      (:QcgChunk {id: step.chunkId})<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted })
    WITH step, reached, 2 * vector.similarity.cosine(step.embedding, $questionVector) - 1 AS score
    WHERE score IS NOT NULL
    ORDER BY score DESC, step.id LIMIT CASE $completion WHEN 'beam' THEN $beamWidth ELSE 1000000000 END
    // A path of the beam ends at the first entity that the question found, and one through any other leads away from it:
    // of the beam nothing counts beyond its first step, which is therefore all that is searched.
    WITH * WHERE reached IN entities
    RETURN step, reached, score
  }
  RETURN collect({route: [source, reached], steps: [step], total: score}) AS first
}
// Every path: those with one triple less, each with one of the first that leads on to an entity that is not on it.
WITH hits, reduce(ways = first, length IN range(2, CASE $completion WHEN 'all' THEN $pathLength ELSE 1 END) |
  reduce(longer = ways, shorter IN [[way IN ways WHERE size(way.steps) = length - 1]] | longer + [
    pair IN [place IN range(0, size(shorter) * size(first) - 1) | [shorter[place / size(first)], first[place % size(first)]]]
    WHERE pair[1].route[0] = pair[0].route[-1] AND NOT pair[1].route[1] IN pair[0].route |
    {route: pair[0].route + pair[1].route[1], steps: pair[0].steps + pair[1].steps, total: pair[0].total + pair[1].total}
  ])) AS ways
CALL (ways) {
  UNWIND ways AS way
  WITH way.steps AS steps, way.total / size(way.steps) AS score ORDER BY score DESC, [step IN way.steps | step.id]
  RETURN collect({steps: steps, score: score}) AS sorted
}
WITH hits, sorted AS ways
WITH hits, ways, reduce(along = [], way IN ways | along + [step IN way.steps WHERE NOT step IN along]) AS along
WITH hits, ways, along, [step IN along WHERE NOT step IN hits][..$addedTriples] AS added
WITH hits, added, [way IN ways WHERE all(step IN way.steps WHERE step IN hits OR step IN added)] AS ways,
     [step IN along WHERE step IN hits OR step IN added] + [hit IN hits WHERE NOT hit IN along] AS triples
RETURN [triple IN triples WHERE triple.ttr + triple.chunkId IS NOT NULL | {
         // An entity is called as the chunk spells it: elsewhere it may have another name.
         id: triple.id, predicate: triple.predicate,
         source: CASE WHEN $permitted IS NULL THEN startNode(triple).name ELSE COLLECT {
         MATCH (entity)-[said:FROM_CHUNK]->(:QcgChunk {id: triple.chunkId}) WHERE entity = startNode(triple) RETURN said.name }[0] END,
         target: CASE WHEN $permitted IS NULL THEN endNode(triple).name ELSE COLLECT {
         MATCH (entity)-[said:FROM_CHUNK]->(:QcgChunk {id: triple.chunkId}) WHERE entity = endNode(triple) RETURN said.name }[0] END,
         ttr: triple.ttr, chunk: triple.chunkId, added: triple IN added,
         similarity: 2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1
       }] AS triples,
       [way IN ways[..100] | {score: way.score, triples: [step IN way.steps | step.id]}] AS paths
