// No rows; notes how many times wider than by default the vector indexes of the corpus are searched.
// $widening: FLOAT  from 1
MATCH (corpus:QcgCorpus {id: 'corpus'})
SET corpus.widening = $widening
