// The chunks that share the most telling words with a question (BM25 of the full-text index), best first.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
WITH reduce(words = toLower($question), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ # _ \' ’', ' ') |
       replace(words, sign, ' ')) AS words
WITH reduce(terms = '', word IN [word IN split(words, ' ') WHERE word <> ''][..1000] | terms + ' ' + word) AS terms
WHERE terms <> ''
// Best first: with a filter as many are read as it takes.
CALL db.index.fulltext.queryNodes('qcg_chunk_words', 'words:(' + terms + ')', CASE WHEN $permitted IS NULL THEN {limit: $passages} ELSE {} END)
  YIELD node AS chunk, score
WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
WITH chunk, score LIMIT $passages
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
