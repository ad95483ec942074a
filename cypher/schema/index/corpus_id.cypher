// No rows; each Corpus has a id of its own.
CREATE CONSTRAINT qcg_corpus_id IF NOT EXISTS
FOR (node:QcgCorpus) REQUIRE node.id IS UNIQUE
