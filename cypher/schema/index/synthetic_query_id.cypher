// No rows; each SyntheticQuery has a id of its own.
CREATE CONSTRAINT qcg_synthetic_query_id IF NOT EXISTS
FOR (node:QcgSyntheticQuery) REQUIRE node.id IS UNIQUE
