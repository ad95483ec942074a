// The best chunks by BM25 for a question together with a context, the question's words weighing more, best first.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $context: STRING  further text; a word that it repeats counts each time
// $boost: FLOAT  how much more a word of the question weighs than one of the context
// $passages: INTEGER  how many chunks are returned (K)
UNWIND [{text: $question, weight: '^' + toString($boost)}, {text: $context, weight: ''}] AS part
WITH part, reduce(words = toLower(part.text), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ # _ \' ’ , . ; \n', ' ') |
       replace(words, sign, ' ')) AS words
// Lucene takes 1,024 clauses; the question comes first.
WITH collect([word IN split(words, ' ') WHERE word <> '' | word + part.weight]) AS parts
WITH reduce(terms = '', word IN (parts[0] + parts[1])[..1000] | terms + ' ' + word) AS terms
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
