// One row: the version of the form that the graph is in, also of one from before nodes were marked; none while it is empty.
MATCH (corpus:Corpus {id: 'corpus'})
WHERE corpus.embeddingModel IS NOT NULL
RETURN coalesce(corpus.form, 1) AS form
ORDER BY corpus:QcgCorpus DESC LIMIT 1
