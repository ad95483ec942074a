// No rows; each Chunk has a id of its own.
CREATE CONSTRAINT qcg_chunk_id IF NOT EXISTS
FOR (node:QcgChunk) REQUIRE node.id IS UNIQUE
