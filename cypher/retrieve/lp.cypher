// The best chunks by LP-RAG, best first, as a graph to look at: atoms, the neighbours that raised them, chunks.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $configuration: MAP  the settings of the method, as qcg.configuration('qcg.retrieve.lp') lists them
WITH $configuration AS configuration
CALL qcg.retrieve.lp($questionVector, configuration {.*, corpus: 'default'}) YIELD rank, score, chunk, document, paths
RETURN rank, chunk.id AS id, score, chunk, document, paths
ORDER BY rank
