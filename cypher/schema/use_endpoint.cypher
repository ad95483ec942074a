// No rows; keeps the endpoint that embeds for the graph, which asking uses again; the key is never kept.
// $endpoint: STRING  its address, without user and password
// $tokenizer: STRING  the tokenizer that was given, null where none was
// $windowTokens: INTEGER  how many tokens the model reads, null where that was not given
MATCH (corpus:QcgCorpus {id: 'corpus'})
SET corpus.embeddingEndpoint = $endpoint, corpus.embeddingTokenizer = $tokenizer, corpus.embeddingWindow = $windowTokens
