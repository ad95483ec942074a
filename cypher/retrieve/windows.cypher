// The chunks nearest to a question by their best window, best first; a chunk that fits the model is its own window.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many windows and how many chunks are taken from the vector indexes, to be scored exactly
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
CALL () {
  CALL () {
    CALL db.index.vector.queryNodes('qcg_window_embedding', $candidates, $questionVector) YIELD node AS part
    MATCH (part)-[:FROM_CHUNK]->(chunk:QcgChunk)
    RETURN chunk, part
    UNION ALL
    CALL db.index.vector.queryNodes('qcg_chunk_embedding', $candidates, $questionVector) YIELD node AS chunk
    WHERE NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgWindow) }
    RETURN chunk, chunk AS part
  }
  WITH chunk, part, $permitted IS NULL OR EXISTS {
    (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
  RETURN collect(CASE WHEN isPermitted THEN {chunk: chunk, part: part} END) AS near, count(*) AS seen,
         count(DISTINCT CASE WHEN isPermitted THEN chunk END) AS found
}
CALL (near, seen, found) {
  UNWIND near AS one RETURN one.chunk AS chunk, one.part AS part
  UNION
  // Where the indexes have more and bring too few that are permitted, all of these are looked at.
  UNWIND CASE WHEN found < 2 * $passages AND 2 * seen >= $candidates THEN $permitted END AS id
  MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
  OPTIONAL MATCH (chunk)<-[:FROM_CHUNK]-(window:QcgWindow)
  RETURN chunk, coalesce(window, chunk) AS part
}
WITH chunk, part, 2 * vector.similarity.cosine(part.embedding, $questionVector) - 1 AS score
WHERE score IS NOT NULL // what was deleted meanwhile holds nothing
WITH * ORDER BY score DESC
WITH chunk, head(collect(part)) AS part, max(score) AS score
ORDER BY score DESC, chunk.id
LIMIT $passages
WITH chunk, score, CASE WHEN part <> chunk THEN part {.id, .start, .end} END AS part
RETURN chunk.id AS id, score,
       CASE WHEN part.id + part.start + part.end IS NULL THEN [] ELSE [[{
         label: 'Window', id: part.id, text: substring(chunk.text, part.start, part.end - part.start),
         relationship: 'HIT', similarity: score, weight: null
       }]] END AS paths
ORDER BY score DESC, id
