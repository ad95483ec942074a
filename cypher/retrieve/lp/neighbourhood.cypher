// The atoms nearest to a question and their neighbours, as a client needs them to score the former by the link predictor (LP-RAG).
// $found: LIST<MAP>  rows of retrieve/lp/ranked: node (the atom)
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.node AS node
WITH collect(node) AS ranked
CALL (ranked) {
  UNWIND ranked AS node RETURN node, 1 AS rank
  UNION ALL
  UNWIND ranked AS node
  MATCH (node)-[:SIMILAR_TO]-(other:QcgAtom)
  WHERE $permitted IS NULL OR EXISTS { (other)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
  RETURN DISTINCT other AS node, 0 AS rank
}
WITH node, max(rank) = 1 AS isRanked
WHERE node.id IS NOT NULL // what was deleted meanwhile holds nothing
RETURN node.id AS id, isRanked,
       CASE WHEN isRanked THEN 2 * vector.similarity.cosine(node.embedding, $questionVector) - 1 END AS similarity,
       // What is stored was made of all neighbours.
       CASE WHEN $permitted IS NULL THEN node.linkVector END AS vector,
       CASE WHEN isRanked THEN COLLECT {
         MATCH (node)-[pair:SIMILAR_TO]-(other:QcgAtom) WHERE pair.score IS NOT NULL AND ($permitted IS NULL OR EXISTS {
           (other)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted })
         RETURN [other.id, pair.score] } END AS pairs
