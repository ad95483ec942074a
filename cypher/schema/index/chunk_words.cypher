// No rows; full-text search (BM25) over the words of chunks, and over their days; their ids let a search be restricted to given chunks.
// $analyzer: STRING  Neo4j's analyzer for the language of the corpus
CREATE FULLTEXT INDEX qcg_chunk_words IF NOT EXISTS
FOR (node:QcgChunk) ON EACH [node.words, node.dates, node.id]
OPTIONS { indexConfig: { `fulltext.analyzer`: $analyzer } }
