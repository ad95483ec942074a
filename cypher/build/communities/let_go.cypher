// No rows; communities of a level that have changed, or are not inside one community above that is to be split, lose their entities.
// $level: INTEGER  the level; 0 is the root
// $maximumSize: INTEGER  entities of a community that is not split
MATCH (community:QcgCommunity {level: $level})
CALL (community) {
  MATCH (community)<-[:IN_COMMUNITY]-(entity:QcgEntity)
  // level + 0 keeps the planner from looking up all communities of a level, once per entity.
  OPTIONAL MATCH (entity)-[:IN_COMMUNITY]->(above:QcgCommunity) WHERE above.level + 0 = $level - 1
  RETURN count(entity) AS entities, count(above) AS held, collect(DISTINCT above) AS parents
}
WITH community, entities, held, parents
WHERE community.stale OR entities <> community.size OR community.weight IS NULL
  OR ($level > 0 AND (held < entities OR size(parents) > 1 OR parents[0].size <= $maximumSize))
CALL (community) {
  OPTIONAL MATCH (community)-[edge:IN_COMMUNITY|PARENT]-()
  DELETE edge
} IN TRANSACTIONS OF 100 ROWS
