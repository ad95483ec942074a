// The best atoms for a question by the graph's trained link predictor (LP-RAG), best first, with the neighbours that raised them.
// $found: LIST<MAP>  rows of retrieve/lp/ranked: node (the atom)
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $atoms: INTEGER  how many atoms are returned at most (k)
// $selection: STRING  'top' for the best, 'threshold' for those of them that reach the predictor's threshold
// $reasons: INTEGER  how many neighbours that raised an atom are shown
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.node AS node
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
