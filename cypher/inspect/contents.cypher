// What is in the graph: a row per kind of node or relationship with its number, the stage that makes it, and its state.
CALL () {
  MATCH (stage:QcgStage)
  CALL (stage) {
    // The basis is JSON: the revision that each earlier stage had when this one ran.
    MATCH (earlier:QcgStage)
    WHERE stage.basis CONTAINS '"' + earlier.name + '": '
      AND none(end IN [',', '}'] WHERE stage.basis CONTAINS '"' + earlier.name + '": ' + earlier.revision + end)
    WITH earlier ORDER BY earlier.name
    RETURN collect(earlier.name) AS changed
  }
  RETURN collect({
           name: stage.name, finished: stage.finishedAt,
           state: CASE WHEN stage.finishedAt IS NULL THEN 'interrupted' WHEN changed = [] THEN 'up to date'
                  ELSE 'stale: ' + reduce(names = head(changed), name IN tail(changed) | names + ', ' + name)
                       + ' changed since' END
         }) AS stages
}
UNWIND [
  {kind: 'Document', number: COUNT { (:QcgDocument) }, stage: 'load'},
  {kind: 'Chunk', number: COUNT { (:QcgChunk) }, stage: 'load'},
  {kind: 'Window', number: COUNT { (:QcgWindow) }, stage: 'load'},
  {kind: 'Query', number: COUNT { (:QcgQuery) }, stage: 'generate'},
  {kind: 'Query SIMILAR_TO Query', number: COUNT { (:QcgQuery)-[:SIMILAR_TO]->(:QcgQuery) }, stage: 'build'},
  {kind: 'Entity', number: COUNT { (:QcgEntity) }, stage: 'extract'},
  {kind: 'Entity RELATED_TO Entity', number: COUNT { (:QcgEntity)-[:RELATED_TO]->() }, stage: 'extract'},
  {kind: 'Atom', number: COUNT { (:QcgAtom) }, stage: 'extract'},
  {kind: 'Atom MENTIONS Entity', number: COUNT { (:QcgAtom)-[:MENTIONS]->() }, stage: 'extract'},
  {kind: 'Claim', number: COUNT { (:QcgClaim) }, stage: 'extract'},
  {kind: 'Atom SIMILAR_TO Atom', number: COUNT { (:QcgAtom)-[:SIMILAR_TO]->(:QcgAtom) }, stage: 'atoms'},
  {kind: 'SyntheticQuery', number: COUNT { (:QcgSyntheticQuery) }, stage: 'questions'},
  {kind: 'LinkPredictor', number: COUNT { (:QcgLinkPredictor) }, stage: 'link_predictor'},
  {kind: 'Entity SYNONYM_OF Entity', number: COUNT { (:QcgEntity)-[:SYNONYM_OF]->() }, stage: 'synonyms'},
  {kind: 'Community', number: COUNT { (:QcgCommunity) }, stage: 'communities'},
  {kind: 'Community with a report', number: COUNT { (community:QcgCommunity) WHERE community.report IS NOT NULL },
   stage: 'report'}
] AS part
WITH part, head([stage IN stages WHERE stage.name = part.stage]) AS stage
RETURN part.kind AS kind, part.number AS number, part.stage AS stage, toString(stage.finished) AS finished,
       coalesce(stage.state, 'has not run') AS state
