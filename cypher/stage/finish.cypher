// No rows; notes that a stage has come to its end.
// $name: STRING  the stage
// $settings: STRING  its settings, as JSON
// $basis: STRING  the revisions of the stages that it was made from, as JSON
// $figures: STRING  what it measured and counted, as JSON
MERGE (stage:QcgStage:Stage {name: $name})
ON CREATE SET stage.revision = 0
SET stage.settings = $settings, stage.basis = $basis, stage.figures = $figures, stage.finishedAt = datetime()
REMOVE stage.cursor, stage.pending
