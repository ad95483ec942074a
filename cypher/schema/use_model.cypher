// One row: the embedding model of the graph; the given one if it is the first.
// $model: STRING  the model's name
// $dimension: INTEGER  how many numbers an embedding has
// $questionPrefix: STRING  prefix of each question
// $passagePrefix: STRING  prefix of each indexed text
// $form: INTEGER  the version of the form that a new graph is in
// $ownLabels: BOOLEAN  whether the nodes of a new graph have the labels of their corpus alone
MERGE (corpus:QcgCorpus:Corpus {id: 'corpus'})
ON CREATE SET corpus.embeddingModel = $model, corpus.dimension = $dimension, corpus.form = $form,
              corpus.ownLabels = $ownLabels,
              corpus.questionPrefix = $questionPrefix, corpus.passagePrefix = $passagePrefix
RETURN corpus.embeddingModel AS model, corpus.dimension AS dimension,
       corpus.questionPrefix AS questionPrefix, corpus.passagePrefix AS passagePrefix
