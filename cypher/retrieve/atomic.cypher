// The best chunks by AtomicRAG without a language model, best first, as a graph to look at: seeds, atoms, chunks.
// $question: STRING  the question as asked
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $configuration: MAP  the settings of the method, as qcg.configuration('qcg.retrieve.atomic') lists them
WITH $configuration AS configuration
CALL qcg.retrieve.atomic({text: $question, vector: $questionVector}, configuration {.*, corpus: 'default'})
  YIELD rank, score, chunk, document, paths
RETURN rank, chunk.id AS id, score, chunk, document, paths
ORDER BY rank
