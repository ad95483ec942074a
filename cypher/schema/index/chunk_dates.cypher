// No rows; full-text search over the days that chunks are about, each a word as a whole.
CREATE FULLTEXT INDEX qcg_chunk_dates IF NOT EXISTS
FOR (node:QcgChunk) ON EACH [node.dates]
OPTIONS { indexConfig: { `fulltext.analyzer`: 'keyword' } }
