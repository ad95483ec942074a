// No rows; each Stage has a name of its own.
CREATE CONSTRAINT stage_name IF NOT EXISTS
FOR (node:Stage) REQUIRE node.name IS UNIQUE
