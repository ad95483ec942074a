// What is to be partitioned on the client: a row per entity with its relations to the others of the same part; entities that are in a community of the level already stay there.
// $level: INTEGER  the level of the new communities; 0 is the root, and -1 for all entities, wherever they are
// $parents: LIST<STRING>  ids of the communities to partition ('' is the whole graph)
// $isolated: BOOLEAN  whether entities without a relation are included
// $edgeWeight: STRING  what a relation counts: 'strength', or 'duplicates' for 1
UNWIND $parents AS id
OPTIONAL MATCH (parent:QcgCommunity {id: id})
CALL (parent) {
  WITH parent WHERE parent IS NULL
  MATCH (entity:QcgEntity)
  RETURN entity
  UNION ALL
  WITH parent
  MATCH (entity:QcgEntity)-[:IN_COMMUNITY]->(parent)
  RETURN entity
}
WITH id, parent, entity
// level + 0 keeps the planner from looking up all communities of a level, once per entity.
WHERE NOT EXISTS { (entity)-[:IN_COMMUNITY]->(it:QcgCommunity) WHERE it.level + 0 = $level }
  AND ($isolated OR EXISTS { (entity)-[:RELATED_TO]-() })
CALL (parent, entity) {
  MATCH (entity)-[relation:RELATED_TO]-(other:QcgEntity)
  WHERE entity.id < other.id AND (parent IS NULL OR EXISTS { (other)-[:IN_COMMUNITY]->(parent) })
    AND NOT EXISTS { (other)-[:IN_COMMUNITY]->(it:QcgCommunity) WHERE it.level + 0 = $level }
  WITH other, toFloat(sum(CASE $edgeWeight WHEN 'duplicates' THEN 1 ELSE relation.strength END)) AS weight ORDER BY other.id
  RETURN collect([other.id, weight]) AS others
}
RETURN id AS parent, entity.id AS entity, others
ORDER BY parent, entity
