// No rows; stages whose result was mended count as interrupted, so that their next run looks at all of it.
// $stages: LIST<STRING>  the names of the stages
UNWIND $stages AS name
MATCH (stage:QcgStage {name: name})
SET stage.revision = coalesce(stage.revision, 0) + 1
REMOVE stage.finishedAt, stage.pending, stage.cursor
