// The chunks that share the most telling words with a question (BM25 of the full-text index), best first.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $passages: INTEGER  how many chunks are returned (K)
WITH reduce(words = toLower($question), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ # _ \' ’', ' ') |
       replace(words, sign, ' ')) AS words
WITH reduce(terms = '', word IN [word IN split(words, ' ') WHERE word <> ''][..1000] | terms + ' ' + word) AS terms
WHERE terms <> ''
CALL db.index.fulltext.queryNodes('qcg_chunk_words', 'words:(' + terms + ')', {limit: $passages}) YIELD node AS chunk, score
MATCH (chunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
WITH chunk {.id, .index, .text, .tokenCount, .page, .lastPage, .headings, also: COLLECT {
       MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
       RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
     }} AS chunk, document {.id, .title} AS document, score
WHERE all(value IN [chunk.id, chunk.index, chunk.text, chunk.tokenCount, document.id] WHERE value IS NOT NULL)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, chunk.page AS page, chunk.lastPage AS lastPage, chunk.headings AS headings,
       chunk.also AS also, score, [] AS paths
ORDER BY score DESC, id
