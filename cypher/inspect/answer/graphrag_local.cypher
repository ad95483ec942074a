// The evidence for a question by the nearest entities (GraphRAG, local), as a graph: paths, chunks, documents.
// $question: STRING  the question as asked; the database embeds it
// $passages: INTEGER  how many chunks
CALL qcg.retrieve.graphragLocal($question, {passages: $passages})
  YIELD rank, score, chunk, document, paths
RETURN rank, score, chunk, document, paths
ORDER BY rank
