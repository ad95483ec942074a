// No rows; each Entity has a id of its own.
CREATE CONSTRAINT qcg_entity_id IF NOT EXISTS
FOR (node:QcgEntity) REQUIRE node.id IS UNIQUE
