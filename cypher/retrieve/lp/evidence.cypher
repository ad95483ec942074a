// One row: the best atoms by the link predictor (LP-RAG) with their chunks, and whether the predictor is older than the atoms.
// $found: LIST<MAP>  rows of retrieve/atoms: id, text, score, similarity, paths, chunks
UNWIND $found AS found WITH found.id AS id, found.text AS text, found.score AS score, found.similarity AS similarity, found.paths AS paths, found.chunks AS chunks
WITH collect({id: id, text: text, score: score, similarity: similarity, paths: paths, chunks: chunks}) AS atoms
CALL () {
  MATCH (stage:QcgStage) WHERE stage.name IN ['extract', 'atoms']
  WITH coalesce(sum(stage.revision), 0) AS revision
  MATCH (predictor:QcgLinkPredictor {name: 'default'})
  RETURN revision <> predictor.atomsRevision AS stale
}
RETURN atoms, stale
