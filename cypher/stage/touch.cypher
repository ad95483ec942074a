// No rows; raises the revision of stages whose nodes or relationships have changed.
// $stages: LIST<STRING>  the names of the stages
UNWIND $stages AS name
MERGE (stage:QcgStage:Stage {name: name})
ON CREATE SET stage.revision = 1
ON MATCH SET stage.revision = coalesce(stage.revision, 0) + 1
