// The best chunks by BM25 for a question together with a context, the question's words weighing more, best first.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $context: STRING  further text; a word that it repeats counts each time
// $boost: FLOAT  how much more a word of the question weighs than one of the context
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND [{text: $question, weight: '^' + toString($boost)}, {text: $context, weight: ''}] AS part
WITH part, reduce(words = toLower(part.text), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ # _ \' ’ , . ; \n', ' ') |
       replace(words, sign, ' ')) AS words
// Lucene takes 1,024 clauses; the question comes first.
WITH collect([word IN split(words, ' ') WHERE word <> '' | word + part.weight]) AS parts
WITH reduce(terms = '', word IN (parts[0] + parts[1])[..1000] | terms + ' ' + word) AS terms
WHERE terms <> ''
// Best first: with a filter as many are read as it takes.
CALL db.index.fulltext.queryNodes('qcg_chunk_words', 'words:(' + terms + ')', CASE WHEN $permitted IS NULL THEN {limit: $passages} ELSE {} END)
  YIELD node AS chunk, score
WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
WITH chunk, score LIMIT $passages
RETURN chunk.id AS id, score, [] AS paths
ORDER BY score DESC, id
