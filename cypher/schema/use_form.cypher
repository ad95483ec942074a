// No rows; records the version of the form that the graph is in from now on.
// $form: INTEGER  the version
MATCH (corpus:QcgCorpus {id: 'corpus'})
SET corpus.form = $form
