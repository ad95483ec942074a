// The communities directly above some.
// $ids: LIST<STRING>  ids of communities
MATCH (community:QcgCommunity)-[:PARENT]->(above:QcgCommunity)
WHERE community.id IN $ids
RETURN DISTINCT above.id AS id
ORDER BY id
