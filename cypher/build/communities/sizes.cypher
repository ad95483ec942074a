// A row per level: how many communities cover it, and how large they are; an unsplit one represents itself below.
MATCH (community:QcgCommunity)
WITH max(community.level) AS lowest, count(community) AS all
UNWIND range(0, coalesce(lowest, -1)) AS level
MATCH (community:QcgCommunity)
WHERE community.level = level OR (community.leaf AND community.level < level)
RETURN level, count(community) AS communities, sum(community.size) AS entities, max(community.size) AS largest,
       percentileDisc(community.size, 0.5) AS median, all
ORDER BY level
