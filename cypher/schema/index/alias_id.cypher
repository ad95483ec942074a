// No rows; each Alias has a id of its own.
CREATE CONSTRAINT qcg_alias_id IF NOT EXISTS
FOR (node:QcgAlias) REQUIRE node.id IS UNIQUE
