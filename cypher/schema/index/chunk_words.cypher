// No rows; full-text search (BM25) over the words of chunks, and over their days.
// $analyzer: STRING  Neo4j's analyzer for the language of the corpus
CREATE FULLTEXT INDEX qcg_chunk_words IF NOT EXISTS
FOR (node:QcgChunk) ON EACH [node.words, node.dates]
OPTIONS { indexConfig: { `fulltext.analyzer`: $analyzer } }
