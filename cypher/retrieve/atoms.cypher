// Found atoms, best first, with the chunks that state them.
// $found: LIST<MAP>  rows of a method's statement: id of the atom, text, score, similarity, paths
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.id AS id, found.text AS text, found.score AS score, found.similarity AS similarity, found.paths AS paths
RETURN id, text, score, similarity, paths, COLLECT {
  MATCH (:QcgAtom {id: id})-[:FROM_CHUNK]->(chunk:QcgChunk)
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
ORDER BY score DESC, id
