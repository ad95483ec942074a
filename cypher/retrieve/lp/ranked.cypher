// The atoms that the link predictor ranks for a question (LP-RAG): those nearest to it, or all.
// $found: LIST<MAP>  rows of retrieve/near: hit (the atom), score
// $ranked: INTEGER  how many nearest atoms are ranked; 0 for all
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.hit AS hit, found.score AS score
WITH hit, max(score) AS score ORDER BY score DESC, hit.id LIMIT CASE $ranked WHEN 0 THEN 9223372036854775807 ELSE $ranked END
WITH collect(hit) AS near
CALL (near) {
  UNWIND near AS node RETURN node
  UNION
  WITH 1 AS once WHERE $ranked = 0 AND $permitted IS NULL
  MATCH (node:QcgAtom)
  RETURN node
}
RETURN node
