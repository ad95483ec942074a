// No rows; holds a stage until the transaction ends, so that of several workers one writes at a time what others may read.
// $name: STRING  the stage
MATCH (stage:QcgStage {name: $name})
REMOVE stage.held // there is none: it locks the node
