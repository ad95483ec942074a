// What lies nearest to a question in any of the vector indexes: one row with its kind and its cosine; none of an empty graph.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many entries are taken from each vector index
CALL () {
  UNWIND ['qcg_chunk_embedding', 'qcg_window_embedding', 'qcg_query_embedding', 'qcg_atom_embedding'] AS index
  CALL db.index.vector.queryNodes(index, $candidates, $questionVector) YIELD node, score
  RETURN [label IN labels(node) WHERE NOT label STARTS WITH 'Qcg'][0] AS kind, CASE WHEN node.id IS NOT NULL THEN score END AS score
UNION ALL
  CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector) YIELD relationship, score
  WITH relationship, score WHERE startNode(relationship):QcgEntity
  RETURN 'RELATED_TO' AS kind, score
}
WITH kind, score WHERE score IS NOT NULL // what was deleted meanwhile holds nothing
RETURN kind, 2 * score - 1 AS relevance ORDER BY relevance DESC, kind LIMIT 1
