// The best atoms for a question by the graph's trained link predictor (LP-RAG), best first, with the neighbours that raised them.
// $found: LIST<MAP>  rows of retrieve/near: hit (the atom), score
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $ranked: INTEGER  how many nearest atoms are ranked; 0 for all
// $atoms: INTEGER  how many atoms are returned at most (k)
// $selection: STRING  'top' for the best, 'threshold' for those of them that reach the predictor's threshold
// $reasons: INTEGER  how many neighbours that raised an atom are shown
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.hit AS hit, found.score AS score
WITH hit, max(score) AS score ORDER BY score DESC, hit.id LIMIT CASE $ranked WHEN 0 THEN 9223372036854775807 ELSE $ranked END
WITH collect(hit) AS near
CALL (near) {
  UNWIND near AS node RETURN node
  UNION
  WITH 1 AS once WHERE $ranked = 0 AND $permitted IS NULL
  MATCH (node:QcgAtom)
  RETURN node
}
WITH collect(node) AS nodes
CALL qcg.links.score($questionVector, nodes, {
    atoms: $atoms, selection: $selection, reasons: $reasons, permitted: $permitted, corpus: 'default'
  })
  YIELD atom, score, similarity, neighbours
RETURN atom.id AS id, atom.text AS text, score, similarity,
       [[{label: 'Atom', id: atom.id, text: atom.text, relationship: 'HIT', similarity: similarity, weight: null}]]
       + [reason IN neighbours WHERE reason.node.text IS NOT NULL | [{
         label: 'Atom', id: reason.node.id, text: reason.node.text, relationship: 'HIT', weight: null,
         similarity: 2 * vector.similarity.cosine(reason.node.embedding, $questionVector) - 1
       }, {
         label: 'Atom', id: atom.id, text: atom.text, relationship: 'SIMILAR_TO', weight: reason.weight,
         similarity: similarity
       }]] AS paths
