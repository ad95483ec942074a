// The paths between the entities of some triples, best first (KG-CQR, Algorithms 1 and 2).
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $hits: LIST<STRING>  the ids of the triples
// $completion: STRING  'beam' for beam search, 'all' for every path, 'none' for no path
// $beamWidth: INTEGER  with how many triples a partial path of the beam goes on (W)
// $pathLength: INTEGER  how many triples a path has at most (L)
// $direction: STRING  'outgoing' follows triples from source to target, 'undirected' both ways
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
MATCH (source:QcgEntity)-[triple:RELATED_TO]->(target:QcgEntity)
WHERE triple.id IN $hits AND $completion <> 'none'
UNWIND [source, target] AS entity
WITH collect(DISTINCT entity) AS entities, CASE $completion WHEN 'beam' THEN $beamWidth ELSE 1000000000 END AS width
CALL (entities, width) {
  UNWIND entities AS source
  CALL (source, entities, width) {
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
    // A path that has visited an entity passes over at most $beamWidth of these triples for it, so no more are needed.
    ORDER BY score DESC, step.id
    WITH width, reached, collect({step: step, reached: reached, score: score}) AS best
    UNWIND best[..width] AS next
    WITH next ORDER BY next.score DESC, next.step.id LIMIT CASE $completion WHEN 'beam' THEN $beamWidth * $pathLength ELSE 1000000000 END
    RETURN collect(next) AS steps
  }
  RETURN collect({source: source, steps: steps}) AS leaving
}
// Each round makes the paths with one triple more. One through an entity that is not the question's is dropped at once.
WITH reduce(ways = {all: [], last: [entity IN entities | {route: [entity], steps: [], total: 0.0}]}, length IN range(1, $pathLength) |
  [longer IN [reduce(longer = [], way IN ways.last | longer + [next IN
    [next IN [one IN leaving WHERE one.source = way.route[-1]][0].steps WHERE NOT next.reached IN way.route][..width]
    WHERE next.reached IN entities |
    {route: way.route + next.reached, steps: way.steps + next.step, total: way.total + next.score}])] |
    {all: ways.all + longer, last: longer}][0]).all AS ways
UNWIND ways AS way
RETURN [step IN way.steps | step.id] AS triples, way.total / size(way.steps) AS score
ORDER BY score DESC, triples
