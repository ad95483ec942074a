// No rows; each Query has a id of its own.
CREATE CONSTRAINT qcg_query_id IF NOT EXISTS
FOR (node:QcgQuery) REQUIRE node.id IS UNIQUE
