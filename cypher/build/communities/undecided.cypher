// The communities of a level that are to be split and have entities without a community below, with their sizes and weights, and the share of the weight that is between these entities.
// $level: INTEGER  their level
// $maximumSize: INTEGER  entities of a community that is not split
// $edgeWeight: STRING  what a relation counts: 'strength', or 'duplicates' for 1
MATCH (community:QcgCommunity {level: $level})
WHERE community.size > $maximumSize AND community.leaf IS NULL
CALL (community) {
  MATCH (community)<-[:IN_COMMUNITY]-(entity:QcgEntity)
  // level + 0 keeps the planner from looking up all communities of a level, once per entity.
  WHERE NOT EXISTS { (entity)-[:IN_COMMUNITY]->(it:QcgCommunity) WHERE it.level + 0 = $level + 1 }
  RETURN collect(entity) AS rest
}
WITH community, rest
WHERE size(rest) > 0
// Where all of it is to be partitioned, there is nothing to compare.
CALL (community, rest) {
  UNWIND CASE WHEN size(rest) < community.size THEN rest ELSE [] END AS source
  MATCH (source)-[relation:RELATED_TO]->(target:QcgEntity)-[:IN_COMMUNITY]->(community)
  WHERE source <> target AND NOT EXISTS { (target)-[:IN_COMMUNITY]->(it:QcgCommunity) WHERE it.level + 0 = $level + 1 }
  RETURN toFloat(sum(CASE $edgeWeight WHEN 'duplicates' THEN 1 ELSE relation.strength END)) AS weight
}
RETURN community.id AS id, community.size AS size, community.weight AS weight,
       CASE WHEN size(rest) = community.size THEN 1.0 WHEN community.weight = 0 THEN 0.0 ELSE weight / community.weight END AS share
ORDER BY id
