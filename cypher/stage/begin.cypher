// No rows; forgets that a stage came to its end, so that an interrupted one is known to be unfinished.
// $name: STRING  the stage
MATCH (stage:Stage {name: $name})
REMOVE stage.settings, stage.basis, stage.figures, stage.finishedAt
