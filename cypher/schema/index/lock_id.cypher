// No rows; there is one lock for the ones who write.
CREATE CONSTRAINT qcg_lock_id IF NOT EXISTS
FOR (node:QcgLock) REQUIRE node.id IS UNIQUE
