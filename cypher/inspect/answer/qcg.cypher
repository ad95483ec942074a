// The three best chunks for a question by the query-centric graph (QCG-RAG), as a graph: paths, chunks, documents.
// $question: STRING  the question as asked; the database embeds it
CALL qcg.retrieve.qcg($question, {passages: 3, corpus: 'default'})
  YIELD rank, score, chunk, document, paths
RETURN rank, score, chunk, document, paths
ORDER BY rank
