// No rows; forgets that a stage has run.
// $name: STRING  the stage
MATCH (stage:QcgStage {name: $name})
DELETE stage
