// No rows; notes how far a stage that is running has come.
// $name: STRING  the stage
// $cursor: STRING  what a run after an interruption needs to know
MATCH (stage:QcgStage {name: $name})
SET stage.cursor = $cursor
