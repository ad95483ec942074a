// No rows; each Query has a id of its own.
CREATE CONSTRAINT query_id IF NOT EXISTS
FOR (node:Query) REQUIRE node.id IS UNIQUE
