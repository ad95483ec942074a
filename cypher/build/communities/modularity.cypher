// One row: the modularity of the root level of the stored communities, by its definition.
// $gamma: FLOAT  resolution
// $edgeWeight: STRING  what a relation counts: 'strength', or 'duplicates' for 1
MATCH (source:QcgEntity)-[relation:RELATED_TO]->(target:QcgEntity)
WHERE source <> target
WITH toFloat(sum(CASE $edgeWeight WHEN 'duplicates' THEN 1 ELSE relation.strength END)) AS whole
MATCH (community:QcgCommunity {level: 0})
CALL (community) {
  MATCH (community)<-[:IN_COMMUNITY]-(entity:QcgEntity)-[relation:RELATED_TO]-(other:QcgEntity)
  WHERE entity <> other
  RETURN toFloat(sum(CASE $edgeWeight WHEN 'duplicates' THEN 1 ELSE relation.strength END)) AS degree
}
RETURN sum(CASE WHEN whole = 0 THEN 0.0
                ELSE community.weight / whole - $gamma * (degree / (2 * whole)) ^ 2 END) AS modularity
