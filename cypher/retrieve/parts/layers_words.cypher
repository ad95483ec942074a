// BM25 of just these chunks, for qcg.score.layers: their ids restrict the search and add nothing to the score.
// $question: STRING  the question's words, without any sign that Lucene would read
// $layers: LIST<STRING>  what is searched: of words, expandedWords
// $ids: LIST<STRING>  ids of the chunks
WITH reduce(ids = '', id IN $ids | ids + ' ' + id) AS ids
UNWIND [['words', 'qcg_chunk_words'], ['expandedWords', 'qcg_chunk_expanded_words']] AS source
WITH ids, source WHERE source[0] IN $layers
CALL db.index.fulltext.queryNodes(source[1], '+' + source[0] + ':(' + $question + ') +id:(' + ids + ')^0') YIELD node, score
RETURN source[0] AS layer, node AS chunk, score
