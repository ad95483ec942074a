// Queries to which one of some others is as near as the last one that they are joined with.
// $ids: LIST<STRING>  ids of the others
// $candidates: INTEGER  how many queries are taken from the vector index for each
UNWIND $ids AS id
MATCH (query:QcgQuery {id: id})
CALL db.index.vector.queryNodes('qcg_query_embedding', $candidates, query.embedding) YIELD node AS other, score
WITH other, max(2 * score - 1) AS score
MATCH (other)-[near:SIMILAR_TO]->()
WITH other.id AS id, score, min(near.score) AS last
WHERE score > last - 1e-6 AND NOT id IN $ids
RETURN id
