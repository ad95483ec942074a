// What is in the graph: a row per kind of node or relationship with its number, the stage that makes it, and its state.
CALL () {
  MATCH (stage:Stage)
  CALL (stage) {
    // The basis is JSON: the revision that each earlier stage had when this one ran.
    MATCH (earlier:Stage)
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
  {kind: 'Document', number: COUNT { (:Document) }, stage: 'load'},
  {kind: 'Chunk', number: COUNT { (:Chunk) }, stage: 'load'},
  {kind: 'Window', number: COUNT { (:Window) }, stage: 'load'},
  {kind: 'Query', number: COUNT { (:Query) }, stage: 'generate'},
  {kind: 'Query SIMILAR_TO Query', number: COUNT { (:Query)-[:SIMILAR_TO]->(:Query) }, stage: 'build'},
  {kind: 'Entity', number: COUNT { (:Entity) }, stage: 'extract'},
  {kind: 'Entity RELATED_TO Entity', number: COUNT { ()-[:RELATED_TO]->() }, stage: 'extract'},
  {kind: 'Atom', number: COUNT { (:Atom) }, stage: 'extract'},
  {kind: 'Atom MENTIONS Entity', number: COUNT { ()-[:MENTIONS]->() }, stage: 'extract'},
  {kind: 'Claim', number: COUNT { (:Claim) }, stage: 'extract'},
  {kind: 'Atom SIMILAR_TO Atom', number: COUNT { (:Atom)-[:SIMILAR_TO]->(:Atom) }, stage: 'atoms'},
  {kind: 'SyntheticQuery', number: COUNT { (:SyntheticQuery) }, stage: 'questions'},
  {kind: 'LinkPredictor', number: COUNT { (:LinkPredictor) }, stage: 'link_predictor'},
  {kind: 'Entity SYNONYM_OF Entity', number: COUNT { ()-[:SYNONYM_OF]->() }, stage: 'synonyms'},
  {kind: 'Community', number: COUNT { (:Community) }, stage: 'communities'},
  {kind: 'Community with a report', number: COUNT { (community:Community) WHERE community.report IS NOT NULL },
   stage: 'report'}
] AS part
WITH part, head([stage IN stages WHERE stage.name = part.stage]) AS stage
RETURN part.kind AS kind, part.number AS number, part.stage AS stage, toString(stage.finished) AS finished,
       coalesce(stage.state, 'has not run') AS state
