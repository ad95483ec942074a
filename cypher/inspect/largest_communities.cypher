// The largest communities of a level, with the titles of their reports and who wrote these.
// $level: INTEGER  the level; 0 is the root
MATCH (community:QcgCommunity)
WHERE community.level = $level OR (community.leaf AND community.level < $level)
RETURN community.id AS id, community.size AS entities, community.rating AS rating, community.title AS title,
       community.reportSource AS writtenBy
ORDER BY entities DESC, id
LIMIT 25
