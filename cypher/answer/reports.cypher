// The reports of the communities that cover a level; an unsplit one represents itself below.
// $level: INTEGER  the level; 0 is the root
MATCH (community:QcgCommunity)
WHERE (community.level = $level OR (community.leaf AND community.level < $level)) AND community.report IS NOT NULL
RETURN community.id AS id, community.level AS level, community.title AS title, community.summary AS summary,
       community.rating AS rating, community.report AS text, community.reportSource AS source, null AS similarity
ORDER BY id
