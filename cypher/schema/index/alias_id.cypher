// No rows; each Alias has a id of its own.
CREATE CONSTRAINT alias_id IF NOT EXISTS
FOR (node:Alias) REQUIRE node.id IS UNIQUE
