// One row: the version of the form that the graph is in, also of one from before nodes were marked; none while it is empty.
MATCH (corpus:Corpus {id: 'corpus'})
WHERE corpus.embeddingModel IS NOT NULL
  AND (corpus:QcgCorpus OR none(label IN labels(corpus) WHERE label STARTS WITH 'Qcg')) // not another corpus's
RETURN coalesce(corpus.form, 1) AS form
ORDER BY corpus:QcgCorpus DESC LIMIT 1
