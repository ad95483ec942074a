// One row: how many chunks, queries, atoms, pairs of atoms and synthetic questions there are, and the batches of the last.
CALL () {
  MATCH (question:QcgSyntheticQuery)
  RETURN count(question) AS questions, count(DISTINCT question.batch) AS batches
}
RETURN COUNT { (:QcgChunk) } AS chunks, COUNT { (:QcgQuery) } AS queries, COUNT { (:QcgAtom) } AS atoms,
       COUNT { (:QcgAtom)-[:SIMILAR_TO]->(:QcgAtom) } AS pairs, questions, batches,
       COUNT { (:QcgSyntheticQuery)-[:ANSWERED_BY]->(:QcgAtom) } AS answers
