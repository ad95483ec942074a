// No rows; each Corpus has a id of its own.
CREATE CONSTRAINT corpus_id IF NOT EXISTS
FOR (node:Corpus) REQUIRE node.id IS UNIQUE
