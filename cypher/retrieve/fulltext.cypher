// The chunks that share the most telling words with a question, and with a context where there is one (BM25 of the full-text index).
// $found: LIST<MAP>  one row of retrieve/words: words, of the question and of the context, where a word that is repeated counts each time
// $boost: FLOAT  how much more a word of the question weighs than one of the context
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.words AS words
// Lucene takes 1,024 clauses; the question comes first.
WITH reduce(terms = '', word IN ([word IN words[0] | word + '^' + toString($boost)] + coalesce(words[1], []))[..1000] | terms + ' ' + word) AS terms
WHERE terms <> ''
// Best first: with a filter as many are read as it takes.
CALL db.index.fulltext.queryNodes('qcg_chunk_words', 'words:(' + terms + ')', CASE WHEN $permitted IS NULL THEN {limit: $passages} ELSE {} END)
  YIELD node AS chunk, score
WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
WITH chunk, score LIMIT $passages
RETURN chunk.id AS id, score, [] AS paths
