// The chunks nearest to a question by their best window, best first; a chunk that fits the model is its own window.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many windows and how many chunks are taken from the vector indexes, to be scored exactly
// $passages: INTEGER  how many chunks are returned (K)
CALL () {
  CALL db.index.vector.queryNodes('qcg_window_embedding', $candidates, $questionVector) YIELD node AS part
  MATCH (part)-[:FROM_CHUNK]->(chunk:QcgChunk)
  RETURN chunk, part
  UNION ALL
  CALL db.index.vector.queryNodes('qcg_chunk_embedding', $candidates, $questionVector) YIELD node AS chunk
  WHERE NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgWindow) }
  RETURN chunk, chunk AS part
}
WITH chunk, part, 2 * vector.similarity.cosine(part.embedding, $questionVector) - 1 AS score
WHERE score IS NOT NULL // what was deleted meanwhile holds nothing
WITH * ORDER BY score DESC
WITH chunk, head(collect(part)) AS part, max(score) AS score
ORDER BY score DESC, chunk.id
LIMIT $passages
MATCH (chunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
WITH chunk {.id, .index, .text, .tokenCount, .page, .lastPage, .headings, also: COLLECT {
       MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
       RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
     }} AS chunk, document {.id, .title} AS document, score,
     CASE WHEN part <> chunk THEN part {.id, .start, .end} END AS part
WHERE all(value IN [chunk.id, chunk.index, chunk.text, chunk.tokenCount, document.id] WHERE value IS NOT NULL)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, chunk.page AS page, chunk.lastPage AS lastPage, chunk.headings AS headings,
       chunk.also AS also, score,
       CASE WHEN part.id + part.start + part.end IS NULL THEN [] ELSE [[{
         label: 'Window', id: part.id, text: substring(chunk.text, part.start, part.end - part.start),
         relationship: 'HIT', similarity: score, weight: null
       }]] END AS paths
ORDER BY score DESC, id
