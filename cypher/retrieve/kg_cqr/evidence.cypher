// One row: KG-CQR without a language model in one call; passages, triples and paths of the subgraph, and the context.
// $question: STRING  the question as asked
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $configuration: MAP  the settings of the method, as qcg.configuration('qcg.evidence.kgCqr') lists them
WITH $configuration AS configuration
CALL qcg.evidence.kgCqr({text: $question, vector: $questionVector}, configuration {.*, corpus: 'default'})
  YIELD passages, triples, paths, context
RETURN passages, triples, paths, context
