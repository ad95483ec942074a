// One row: the graph's trained link predictor (LP-RAG) and whether it is older than the atoms; its numbers only where they are not known yet.
// $known: LIST<STRING>  versions of predictors whose numbers are at hand
MATCH (predictor:QcgLinkPredictor {name: 'default'})
CALL () {
  MATCH (stage:QcgStage) WHERE stage.name IN ['extract', 'atoms']
  RETURN coalesce(sum(stage.revision), 0) AS revision
}
RETURN predictor.version AS version, coalesce(predictor.ready, false) AS ready, predictor.threshold AS threshold,
       revision <> predictor.atomsRevision AS stale,
       CASE WHEN NOT predictor.version IN $known THEN predictor {.*, trainedAt: null} END AS predictor
