// The passages that a method's statement has found, best first: document, place in it, text, what led there, and further documents with the same text.
// $found: LIST<MAP>  rows of that statement: id of the chunk, score, paths
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.id AS id, found.score AS score, found.paths AS paths
MATCH (chunk:QcgChunk {id: id})
CALL (chunk) {
  // Of the documents that hold the text those that are permitted, its own first; the place is that in the first.
  MATCH (chunk)<-[:SAME_TEXT_AS*0..1]-(holder)-[:FROM_DOCUMENT]->(document:QcgDocument)
  WHERE $permitted IS NULL OR document.id IN $permitted
  WITH holder {.index, .page, .lastPage, .headings}, document {.*}, holder <> chunk AS isCopy ORDER BY isCopy, document.id
  RETURN head(collect(holder)) AS place, head(collect(document)) AS document, collect(DISTINCT document {.id, .title})[1..] AS also
}
WITH chunk {.id, .text, .tokenCount}, place, document, also, score, paths
// What was deleted meanwhile holds nothing.
WHERE all(value IN [chunk.id, place.index, chunk.text, chunk.tokenCount, document.id] WHERE value IS NOT NULL)
RETURN chunk.id AS id, document.id AS document, document.title AS title, place.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, place.page AS page, place.lastPage AS lastPage, place.headings AS headings,
       also, document AS metadata, score, paths
ORDER BY score DESC, size(paths) DESC, id
