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
CALL (chunk) {
  // Of the documents that hold the text those that are permitted, its own first; the place is that in the first.
  MATCH (chunk)<-[:SAME_TEXT_AS*0..1]-(holder)-[:FROM_DOCUMENT]->(document:QcgDocument)
  WHERE $permitted IS NULL OR document.id IN $permitted
  WITH holder {.index, .page, .lastPage, .headings}, document {.*}, holder <> chunk AS isCopy ORDER BY isCopy, document.id
  RETURN head(collect(holder)) AS place, head(collect(document)) AS document, collect(DISTINCT document {.id, .title})[1..] AS also
}
WITH chunk {.id, .text, .tokenCount}, place, document, also, score
WHERE all(value IN [chunk.id, place.index, chunk.text, chunk.tokenCount, document.id] WHERE value IS NOT NULL)
RETURN chunk.id AS id, document.id AS document, document.title AS title, place.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, place.page AS page, place.lastPage AS lastPage, place.headings AS headings,
       also, document AS metadata, score, [] AS paths
ORDER BY score DESC, id
