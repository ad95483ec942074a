// The communities directly above some.
// $ids: LIST<STRING>  ids of communities
MATCH (community:Community)-[:PARENT]->(above:Community)
WHERE community.id IN $ids
RETURN DISTINCT above.id AS id
ORDER BY id
