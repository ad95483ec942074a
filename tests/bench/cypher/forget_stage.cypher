// No rows; forgets that a stage has run.
// $name: STRING  the stage
MATCH (stage:Stage {name: $name})
DELETE stage
