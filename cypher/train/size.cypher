// One row: how many chunks, queries, atoms, pairs of atoms and synthetic questions there are, and the batches of the last.
CALL () {
  MATCH (question:SyntheticQuery)
  RETURN count(question) AS questions, count(DISTINCT question.batch) AS batches
}
RETURN COUNT { (:Chunk) } AS chunks, COUNT { (:Query) } AS queries, COUNT { (:Atom) } AS atoms,
       COUNT { (:Atom)-[:SIMILAR_TO]->(:Atom) } AS pairs, questions, batches,
       COUNT { (:SyntheticQuery)-[:ANSWERED_BY]->(:Atom) } AS answers
