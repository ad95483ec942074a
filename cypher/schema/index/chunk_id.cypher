// No rows; each Chunk has a id of its own.
CREATE CONSTRAINT chunk_id IF NOT EXISTS
FOR (node:Chunk) REQUIRE node.id IS UNIQUE
