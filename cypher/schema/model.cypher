// One row: the embedding model that the graph was made with, its prefixes, the endpoint where it runs, the graph's form and its language; none while the graph is empty.
MATCH (corpus:QcgCorpus {id: 'corpus'})
RETURN corpus.embeddingModel AS model, corpus.dimension AS dimension, corpus.embeddingEndpoint AS endpoint,
       corpus.questionPrefix AS questionPrefix, corpus.passagePrefix AS passagePrefix,
       corpus.embeddingTokenizer AS tokenizer, corpus.embeddingWindow AS windowTokens, corpus.form AS form,
       corpus.ownLabels AS ownLabels, corpus.language AS language,
       coalesce(corpus.widening, 1.0) AS widening
