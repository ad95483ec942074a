// One row: how far an interrupted run with the same settings on the same state had come; '' to start from the beginning.
// $name: STRING  the stage
// $pending: STRING  the settings and the revisions it works on, as JSON
MERGE (stage:QcgStage:Stage {name: $name})
ON CREATE SET stage.revision = 0
SET stage.cursor = CASE WHEN stage.pending = $pending THEN coalesce(stage.cursor, '') ELSE '' END,
    stage.pending = $pending
REMOVE stage.settings, stage.basis, stage.figures, stage.finishedAt
RETURN stage.cursor AS cursor
