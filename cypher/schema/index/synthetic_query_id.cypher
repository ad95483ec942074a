// No rows; each SyntheticQuery has a id of its own.
CREATE CONSTRAINT synthetic_query_id IF NOT EXISTS
FOR (node:SyntheticQuery) REQUIRE node.id IS UNIQUE
