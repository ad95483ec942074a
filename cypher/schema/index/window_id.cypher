// No rows; each Window has a id of its own.
CREATE CONSTRAINT window_id IF NOT EXISTS
FOR (node:Window) REQUIRE node.id IS UNIQUE
