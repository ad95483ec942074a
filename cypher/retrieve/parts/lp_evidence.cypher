// One row: the best atoms for a question by the graph's trained link predictor (LP-RAG), with the chunks that state them and the neighbours that raised them; and whether the predictor is older than the atoms.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many nearest atoms are ranked; 0 for all
// $atoms: INTEGER  how many atoms are returned at most (k)
// $selection: STRING  'top' for the best, 'threshold' for those of them that reach the predictor's threshold
// $reasons: INTEGER  how many neighbours that raised an atom are shown
CALL () {
  WITH 1 AS once WHERE $candidates > 0
  CALL db.index.vector.queryNodes('qcg_atom_embedding', CASE $candidates WHEN 0 THEN 1 ELSE $candidates END, $questionVector)
    YIELD node
  RETURN node
  UNION ALL
  WITH 1 AS once WHERE $candidates = 0
  MATCH (node:QcgAtom)
  RETURN node
}
WITH collect(node) AS nodes
CALL (nodes) {
  CALL qcg.links.score($questionVector, nodes, {
      atoms: $atoms, selection: $selection, reasons: $reasons, corpus: 'default'
    })
    YIELD atom, score, similarity, neighbours
  WITH atom, score, similarity,
       [reason IN neighbours WHERE reason.node.text IS NOT NULL | [{
         label: 'Atom', id: reason.node.id, text: reason.node.text, relationship: 'HIT', weight: null,
         similarity: 2 * vector.similarity.cosine(reason.node.embedding, $questionVector) - 1
       }, {
         label: 'Atom', id: atom.id, text: atom.text, relationship: 'SIMILAR_TO', weight: reason.weight,
         similarity: similarity
       }]] AS raising
  RETURN collect({
    id: atom.id, text: atom.text, score: score, similarity: similarity,
    paths: [[{label: 'Atom', id: atom.id, text: atom.text, relationship: 'HIT', similarity: similarity, weight: null}]]
      + raising,
    chunks: COLLECT {
      MATCH (atom)-[:FROM_CHUNK]->(chunk:QcgChunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
      RETURN chunk {.id, .index, .text, .tokenCount, .page, .lastPage, .headings, document: document.id, title: document.title, also: COLLECT {
        MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
        RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
      }} ORDER BY chunk.id
    }
  }) AS atoms
}
CALL () {
  MATCH (stage:QcgStage) WHERE stage.name IN ['extract', 'atoms']
  WITH coalesce(sum(stage.revision), 0) AS revision
  MATCH (predictor:QcgLinkPredictor {name: 'default'})
  RETURN revision <> predictor.atomsRevision AS stale
}
RETURN atoms, stale
