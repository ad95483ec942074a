// What lies nearest to a question in any of the vector indexes: one row with its kind and its cosine; none of an empty graph.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many entries are taken from each vector index, to be scored exactly
CALL () {
  UNWIND ['qcg_chunk_embedding', 'qcg_window_embedding', 'qcg_query_embedding', 'qcg_atom_embedding'] AS index
  CALL db.index.vector.queryNodes(index, $candidates, $questionVector) YIELD node
  RETURN [label IN labels(node) WHERE NOT label STARTS WITH 'Qcg'][0] AS kind, node.embedding AS embedding
UNION ALL
  CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector) YIELD relationship
  WITH relationship WHERE startNode(relationship):QcgEntity
  RETURN 'RELATED_TO' AS kind, relationship.embedding AS embedding
}
WITH kind, 2 * vector.similarity.cosine(embedding, $questionVector) - 1 AS relevance
WHERE relevance IS NOT NULL // what was deleted meanwhile holds nothing
RETURN kind, relevance ORDER BY relevance DESC, kind LIMIT 1
