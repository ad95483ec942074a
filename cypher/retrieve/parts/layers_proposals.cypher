// What every index holds nearest to a question, for qcg.score.layers: the layer, the index, the entry, and BM25 where words were searched for.
// $question: STRING  the question's words, without any sign that Lucene would read; empty to search for none
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $layers: LIST<STRING>  the layers that take part: of Query, Window, Atom, RELATED_TO, words, expandedWords
// $candidates: INTEGER  how many entries are taken from each vector index
// $layerCandidates: INTEGER  how many chunks each full-text index proposes
UNWIND [['Query', 'qcg_query_embedding'], ['Atom', 'qcg_atom_embedding'], ['Window', 'qcg_window_embedding'],
        ['Window', 'qcg_chunk_embedding']] AS source
WITH source WHERE source[0] IN $layers
CALL db.index.vector.queryNodes(source[1], $candidates, $questionVector) YIELD node
WHERE node:!QcgChunk OR NOT EXISTS { (node)<-[:FROM_CHUNK]-(:QcgWindow) }
RETURN source[0] AS layer, source[1] AS index, node AS entry, null AS score
UNION ALL
WITH 'RELATED_TO' AS layer, 'qcg_related_to_embedding' AS index WHERE layer IN $layers
CALL db.index.vector.queryRelationships(index, $candidates, $questionVector) YIELD relationship
WHERE startNode(relationship):QcgEntity
RETURN layer, index, relationship AS entry, null AS score
UNION ALL
UNWIND [['words', 'qcg_chunk_words'], ['expandedWords', 'qcg_chunk_expanded_words']] AS source
WITH source WHERE $question <> '' AND source[0] IN $layers
CALL db.index.fulltext.queryNodes(source[1], source[0] + ':(' + $question + ')', {limit: $layerCandidates}) YIELD node, score
RETURN source[0] AS layer, source[1] AS index, node AS entry, score
