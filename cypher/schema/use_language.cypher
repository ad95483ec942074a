// No rows; records the language of the corpus, which chooses how its words are compared.
// $language: STRING  its code (ISO 639-1)
MATCH (corpus:QcgCorpus {id: 'corpus'})
SET corpus.language = $language
