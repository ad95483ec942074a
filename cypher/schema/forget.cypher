// No rows; forgets the embedding model of a corpus, which is empty: the next that is loaded may use another.
MATCH (corpus:QcgCorpus {id: 'corpus'})
DELETE corpus
