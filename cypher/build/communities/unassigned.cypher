// One row: how many entities have no community at the root, all weight, and the share of it that is between them.
// $isolated: BOOLEAN  whether entities without a relation count
// $edgeWeight: STRING  what a relation counts: 'strength', or 'duplicates' for 1
CALL () {
  MATCH (entity:QcgEntity)
  // level + 0 keeps the planner from looking up all communities of a level, once per entity.
  WHERE NOT EXISTS { (entity)-[:IN_COMMUNITY]->(it:QcgCommunity) WHERE it.level + 0 = 0 }
    AND ($isolated OR EXISTS { (entity)-[:RELATED_TO]-() })
  RETURN count(entity) AS entities
}
CALL () {
  MATCH (source:QcgEntity)-[relation:RELATED_TO]->(target:QcgEntity)
  WHERE source <> target
  WITH source, target, CASE $edgeWeight WHEN 'duplicates' THEN 1 ELSE relation.strength END AS weight
  RETURN toFloat(sum(weight)) AS whole,
         toFloat(sum(CASE WHEN EXISTS { (source)-[:IN_COMMUNITY]->(it:QcgCommunity) WHERE it.level + 0 = 0 }
                            OR EXISTS { (target)-[:IN_COMMUNITY]->(it:QcgCommunity) WHERE it.level + 0 = 0 }
                          THEN 0 ELSE weight END)) AS weight
}
RETURN entities AS size, whole AS weight, CASE WHEN whole > 0 THEN weight / whole ELSE 0.0 END AS share
