// The three best chunks for a question by predicted links of atoms (LP-RAG), as a graph: paths, chunks, documents.
// $question: STRING  the question as asked; the database embeds it
CALL qcg.retrieve.lp($question, {passages: 3, corpus: 'default'})
  YIELD rank, score, chunk, document, paths
RETURN rank, score, chunk, document, paths
ORDER BY rank
