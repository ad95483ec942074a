// No rows; full-text search (BM25) over the words of chunks and of what was generated from them.
// $analyzer: STRING  Neo4j's analyzer for the language of the corpus
CREATE FULLTEXT INDEX qcg_chunk_expanded_words IF NOT EXISTS
FOR (node:QcgChunk) ON EACH [node.expandedWords]
OPTIONS { indexConfig: { `fulltext.analyzer`: $analyzer } }
