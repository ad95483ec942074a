// No rows; full-text search (BM25) over the text of chunks.
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS
FOR (node:Chunk) ON EACH [node.text]
OPTIONS { indexConfig: { `fulltext.analyzer`: 'standard-no-stop-words' } }
