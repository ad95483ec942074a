// One row: how many communities a level has; new ones get the weight of their relations, small ones are leaves, all have one above.
// $level: INTEGER  the level; 0 is the root
// $maximumSize: INTEGER  entities of a community that is not split
// $edgeWeight: STRING  what a relation counts: 'strength', or 'duplicates' for 1
MATCH (community:QcgCommunity {level: $level})
WHERE EXISTS { (community)<-[:IN_COMMUNITY]-() }
CALL (community) {
  WITH community WHERE community.weight IS NULL
  OPTIONAL MATCH (community)<-[:IN_COMMUNITY]-(source:QcgEntity)-[relation:RELATED_TO]->(target:QcgEntity)
  WHERE source <> target AND EXISTS { (target)-[:IN_COMMUNITY]->(community) }
  WITH community, toFloat(sum(CASE WHEN relation IS NULL THEN 0 WHEN $edgeWeight = 'duplicates' THEN 1 ELSE relation.strength END)) AS weight
  SET community.weight = weight,
      community.leaf = CASE WHEN community.size <= $maximumSize THEN true ELSE community.leaf END
}
CALL (community) {
  WITH community WHERE $level > 0 AND NOT EXISTS { (community)-[:PARENT]->() }
  MATCH (community)<-[:IN_COMMUNITY]-(entity:QcgEntity)
  WITH community, entity LIMIT 1
  // level + 0 keeps the planner from looking up all communities of a level, once per entity.
  MATCH (entity)-[:IN_COMMUNITY]->(parent:QcgCommunity) WHERE parent.level + 0 = $level - 1
  MERGE (community)-[:PARENT]->(parent)
}
RETURN count(community) AS communities
