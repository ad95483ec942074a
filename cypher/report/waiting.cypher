// The communities that get a report, by level, the lowest first.
// $minimumSize: INTEGER  entities of a community that gets a report
MATCH (community:QcgCommunity)
WHERE community.size >= $minimumSize
RETURN community.level AS level, collect(community.id) AS ids
ORDER BY level DESC
