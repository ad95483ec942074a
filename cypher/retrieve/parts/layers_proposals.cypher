// What every index holds nearest to a question, for qcg.score.layers: the layer, the index, the entry, and BM25 where words were searched for.
// $question: STRING  the question's words, without any sign that Lucene would read; empty to search for none
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $layers: LIST<STRING>  the layers that take part: of Query, Window, Atom, RELATED_TO, words, expandedWords
// $candidates: INTEGER  how many entries are taken from each vector index
// $layerCandidates: INTEGER  how many chunks each full-text index proposes
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND [['Query', 'qcg_query_embedding'], ['Atom', 'qcg_atom_embedding'], ['Window', 'qcg_window_embedding'],
        ['Window', 'qcg_chunk_embedding']] AS source
WITH source WHERE source[0] IN $layers
CALL (source) {
  CALL (source) {
    CALL db.index.vector.queryNodes(source[1], $candidates, $questionVector) YIELD node
    WHERE node:!QcgChunk OR NOT EXISTS { (node)<-[:FROM_CHUNK]-(:QcgWindow) }
    OPTIONAL MATCH (node)-[:FROM_CHUNK]->(holder:QcgChunk)
    WITH node, coalesce(holder, node) AS chunk
    WITH node, chunk, $permitted IS NULL OR EXISTS {
      (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
    RETURN collect(CASE WHEN isPermitted THEN {node: node, chunk: chunk} END) AS near,
           count(DISTINCT CASE WHEN isPermitted THEN chunk END) AS found, count(*) AS seen
  }
  CALL (source, near, found, seen) {
    UNWIND near AS one RETURN one.node AS node, one.chunk AS chunk
    UNION
    // Where the index has more and brings too few that are permitted, all of these are looked at.
    UNWIND CASE WHEN found < 2 * $layerCandidates AND 2 * seen >= $candidates THEN $permitted END AS id
    MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)<-[:FROM_CHUNK*0..1]-(node)
    WHERE CASE source[1] WHEN 'qcg_query_embedding' THEN node:QcgQuery WHEN 'qcg_atom_embedding' THEN node:QcgAtom
      WHEN 'qcg_window_embedding' THEN node:QcgWindow ELSE node = chunk AND NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgWindow) } END
    RETURN node, chunk
  }
  RETURN DISTINCT node
}
RETURN source[0] AS layer, source[1] AS index, node AS entry, null AS score
UNION ALL
WITH 'RELATED_TO' AS layer, 'qcg_related_to_embedding' AS index WHERE layer IN $layers
CALL () {
  CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector) YIELD relationship
  WHERE startNode(relationship):QcgEntity
  WITH relationship, relationship.chunkId AS id, $permitted IS NULL OR EXISTS {
    (:QcgChunk {id: relationship.chunkId})<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted
  } AS isPermitted
  RETURN collect(CASE WHEN isPermitted THEN relationship END) AS near,
         count(DISTINCT CASE WHEN isPermitted THEN id END) AS found, count(*) AS seen
}
CALL (near, found, seen) {
  UNWIND near AS relationship RETURN relationship
  UNION
  UNWIND CASE WHEN found < 2 * $layerCandidates AND 2 * seen >= $candidates THEN $permitted END AS id
  MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
  MATCH (start:QcgEntity)-[relationship:RELATED_TO {chunkId: chunk.id}]->()
  RETURN relationship
}
RETURN layer, index, relationship AS entry, null AS score
UNION ALL
UNWIND [['words', 'qcg_chunk_words'], ['expandedWords', 'qcg_chunk_expanded_words']] AS source
WITH source WHERE $question <> '' AND source[0] IN $layers
CALL (source) {
  // Best first: with a filter as many are read as it takes.
  CALL db.index.fulltext.queryNodes(source[1], source[0] + ':(' + $question + ')',
    CASE WHEN $permitted IS NULL THEN {limit: $layerCandidates} ELSE {} END) YIELD node AS chunk, score
  WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
  RETURN chunk, score LIMIT $layerCandidates
}
RETURN source[0] AS layer, source[1] AS index, chunk AS entry, score
