// No rows; each Document has a id of its own.
CREATE CONSTRAINT document_id IF NOT EXISTS
FOR (node:Document) REQUIRE node.id IS UNIQUE
