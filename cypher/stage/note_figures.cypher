// No rows; notes what a stage has counted so far, which a run after an interruption goes on from.
// $name: STRING  the stage
// $figures: STRING  what it measured and counted, as JSON
MATCH (stage:QcgStage {name: $name})
SET stage.figures = $figures
