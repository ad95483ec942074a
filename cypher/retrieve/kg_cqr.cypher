// The best chunks by KG-CQR without a language model, best first, as a graph to look at: triples, chunks, documents.
// $question: STRING  the question as asked
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $configuration: MAP  the settings of the method, as qcg.configuration('qcg.retrieve.kgCqr') lists them
WITH $configuration AS configuration
CALL qcg.retrieve.kgCqr({text: $question, vector: $questionVector}, configuration {.*, corpus: 'default'})
  YIELD rank, score, chunk, document, paths
RETURN rank, chunk.id AS id, score, chunk, document, paths
ORDER BY rank
