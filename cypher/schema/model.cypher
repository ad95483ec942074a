// One row: the embedding model that the graph was made with; none while the graph is empty.
MATCH (corpus:QcgCorpus {id: 'corpus'})
RETURN corpus.embeddingModel AS model, corpus.dimension AS dimension
