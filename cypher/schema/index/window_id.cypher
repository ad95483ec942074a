// No rows; each Window has a id of its own.
CREATE CONSTRAINT qcg_window_id IF NOT EXISTS
FOR (node:QcgWindow) REQUIRE node.id IS UNIQUE
