// One row: the name that the projected atom-entity graph of the present state has, and the names of existing ones.
// $synonyms: BOOLEAN  whether SYNONYM_OF counts
CALL () {
  UNWIND ['extract', 'synonyms'] AS name
  OPTIONAL MATCH (stage:QcgStage {name: name})
  WITH coalesce(toString(stage.revision), '-') + '_' + coalesce(toString(stage.finishedAt.epochMillis), '-') AS state
  ORDER BY name
  RETURN 'qcg_atoms:' + toString($synonyms) + reduce(all = '', one IN collect(state) | all + '_' + one) AS projection
}
CALL () {
  CALL gds.graph.list() YIELD graphName
  WHERE graphName STARTS WITH 'qcg_atoms:'
  RETURN collect(graphName) AS present
}
RETURN projection, present
