// No rows; each Stage has a name of its own.
CREATE CONSTRAINT qcg_stage_name IF NOT EXISTS
FOR (node:QcgStage) REQUIRE node.name IS UNIQUE
