// The three best chunks for a question by the nearest entities (GraphRAG, local), as a graph: paths, chunks, documents.
// $question: STRING  the question as asked; the database embeds it
CALL qcg.retrieve.graphragLocal($question, {passages: 3, corpus: 'default'})
  YIELD rank, score, chunk, document, paths
RETURN rank, score, chunk, document, paths
ORDER BY rank
