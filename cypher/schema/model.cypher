// One row: the embedding model that the graph was made with, and the endpoint where it runs; none while the graph is empty.
MATCH (corpus:QcgCorpus {id: 'corpus'})
RETURN corpus.embeddingModel AS model, corpus.dimension AS dimension, corpus.embeddingEndpoint AS endpoint,
       corpus.embeddingTokenizer AS tokenizer, corpus.embeddingWindow AS windowTokens
