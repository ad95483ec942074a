// No rows; each Document has a id of its own.
CREATE CONSTRAINT qcg_document_id IF NOT EXISTS
FOR (node:QcgDocument) REQUIRE node.id IS UNIQUE
