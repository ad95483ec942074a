// One row: the embedding model that the graph was made with, its prefixes, and the endpoint where it runs; none while the graph is empty.
MATCH (corpus:QcgCorpus {id: 'corpus'})
RETURN corpus.embeddingModel AS model, corpus.dimension AS dimension, corpus.embeddingEndpoint AS endpoint,
       coalesce(corpus.questionPrefix, '') AS questionPrefix, coalesce(corpus.passagePrefix, '') AS passagePrefix,
       corpus.embeddingTokenizer AS tokenizer, corpus.embeddingWindow AS windowTokens
