// No rows; full-text search (BM25) over the text of chunks; their ids let a search be restricted to given chunks.
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS
FOR (node:Chunk) ON EACH [node.text, node.id]
OPTIONS { indexConfig: { `fulltext.analyzer`: 'standard-no-stop-words' } }
