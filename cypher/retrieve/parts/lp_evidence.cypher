// One row: the best atoms for a question by the graph's trained link predictor (LP-RAG), with the chunks that state them and the neighbours that raised them; and whether the predictor is older than the atoms.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many nearest atoms are ranked; 0 for all
// $atoms: INTEGER  how many atoms are returned at most (k)
// $selection: STRING  'top' for the best, 'threshold' for those of them that reach the predictor's threshold
// $reasons: INTEGER  how many neighbours that raised an atom are shown
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
CALL () {
  WITH 1 AS once WHERE $candidates > 0
  CALL db.index.vector.queryNodes('qcg_atom_embedding', CASE $candidates WHEN 0 THEN 1 ELSE $candidates END, $questionVector)
    YIELD node
  WITH node, $permitted IS NULL OR EXISTS { (node)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
  RETURN collect(CASE WHEN isPermitted THEN node END) AS near, count(*) AS seen
}
CALL (near, seen) {
  UNWIND near AS node RETURN node
  UNION
  WITH 1 AS once WHERE $candidates = 0 AND $permitted IS NULL
  MATCH (node:QcgAtom)
  RETURN node
  UNION
  // Where the index has more and brings too few that are permitted, all of these are looked at.
  UNWIND CASE WHEN $candidates = 0 OR size(near) < 2 * $atoms AND 2 * seen >= $candidates THEN $permitted END AS id
  MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->()<-[:FROM_CHUNK]-(node:QcgAtom)
  RETURN node
}
WITH collect(node) AS nodes
CALL (nodes) {
  CALL qcg.links.score($questionVector, nodes, {
      atoms: $atoms, selection: $selection, reasons: $reasons, permitted: $permitted, corpus: 'default'
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
  WITH *, COLLECT {
    MATCH (atom)-[:FROM_CHUNK]->(chunk:QcgChunk)
    CALL (chunk) {
      // Of the documents that hold the text those that are permitted, its own first; the place is that in the first.
      MATCH (chunk)<-[:SAME_TEXT_AS*0..1]-(holder)-[:FROM_DOCUMENT]->(document:QcgDocument)
      WHERE $permitted IS NULL OR document.id IN $permitted
      WITH holder {.index, .page, .lastPage, .headings}, document {.*}, holder <> chunk AS isCopy ORDER BY isCopy, document.id
      RETURN head(collect(holder)) AS place, head(collect(document)) AS document, collect(DISTINCT document {.id, .title})[1..] AS also
    }
    WITH chunk {.id, .text, .tokenCount}, place, document, also WHERE document IS NOT NULL
    RETURN chunk {.*, index: place.index, page: place.page, lastPage: place.lastPage, headings: place.headings,
      document: document.id, title: document.title, metadata: document, also: also} AS chunk ORDER BY chunk.id
  } AS chunks
  RETURN collect({
    id: atom.id, text: atom.text, score: score, similarity: similarity,
    paths: [[{label: 'Atom', id: atom.id, text: atom.text, relationship: 'HIT', similarity: similarity, weight: null}]]
      + raising,
    chunks: chunks
  }) AS atoms
}
CALL () {
  MATCH (stage:QcgStage) WHERE stage.name IN ['extract', 'atoms']
  WITH coalesce(sum(stage.revision), 0) AS revision
  MATCH (predictor:QcgLinkPredictor {name: 'default'})
  RETURN revision <> predictor.atomsRevision AS stale
}
RETURN atoms, stale
