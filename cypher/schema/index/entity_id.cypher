// No rows; each Entity has a id of its own.
CREATE CONSTRAINT entity_id IF NOT EXISTS
FOR (node:Entity) REQUIRE node.id IS UNIQUE
