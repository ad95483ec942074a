// The chunks nearest to a question by one of their own vectors, best first.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $property: STRING  the vector that is compared: embedding, d2qAllEmbedding or d2qKeptEmbedding
// $candidates: INTEGER  how many chunks are taken from the vector index, to be scored exactly
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
CALL () {
  WITH {embedding: 'qcg_chunk_embedding', d2qAllEmbedding: 'qcg_chunk_d2q_all', d2qKeptEmbedding: 'qcg_chunk_d2q_kept'} AS indexes
  CALL db.index.vector.queryNodes(indexes[$property], $candidates, $questionVector) YIELD node AS chunk
  WITH chunk, $permitted IS NULL OR EXISTS {
    (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
  RETURN collect(CASE WHEN isPermitted THEN chunk END) AS near, count(*) AS seen
}
CALL (near, seen) {
  UNWIND near AS chunk RETURN chunk
  UNION
  // Where the index has more and brings too few that are permitted, all of these are looked at.
  UNWIND CASE WHEN size(near) < 2 * $passages AND 2 * seen >= $candidates THEN $permitted END AS id
  MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
  RETURN chunk
}
WITH chunk, 2 * vector.similarity.cosine(chunk[$property], $questionVector) - 1 AS score
WHERE score IS NOT NULL // what was deleted meanwhile holds nothing
WITH chunk, score ORDER BY score DESC, chunk.id
LIMIT $passages
RETURN chunk.id AS id, score, [] AS paths
ORDER BY score DESC, id
