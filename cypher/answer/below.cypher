// The reports of the communities directly below some, or of the root.
// $ids: LIST<STRING>  ids of communities; [''] for those of the root
MATCH (community:QcgCommunity)
WHERE community.report IS NOT NULL
  AND ($ids = [''] AND community.level = 0 OR EXISTS { (community)-[:PARENT]->(above:QcgCommunity) WHERE above.id IN $ids })
RETURN community.id AS id, community.level AS level, community.title AS title, community.summary AS summary,
       community.rating AS rating, community.report AS text, community.reportSource AS source, null AS similarity
ORDER BY id
