// One row: the projected graph of all entities, undirected; parallel relations are one, their weights added.
// $projection: STRING  the name of the projected graph
// $isolated: BOOLEAN  whether entities without a relation are included
// $firstId: INTEGER  higher than the id of any node
// $edgeWeight: STRING  what a relation counts: 'strength', or 'duplicates' for 1
CALL () {
  MATCH (entity:QcgEntity)
  WHERE $isolated OR EXISTS { (entity)-[:RELATED_TO]-() }
  OPTIONAL MATCH (entity)-[relation:RELATED_TO]-(other:QcgEntity)
  WHERE entity.id < other.id
  WITH entity, other, toFloat(sum(CASE $edgeWeight WHEN 'duplicates' THEN 1 ELSE relation.strength END)) AS weight ORDER BY entity.id, other.id
  RETURN entity, other, weight
  UNION ALL
  // Two more nodes that want to join, as in partition.
  RETURN $firstId AS entity, $firstId + 1 AS other, 1e-6 AS weight
}
WITH gds.graph.project($projection, entity, other, {
  relationshipProperties: CASE WHEN other IS NULL THEN null ELSE {weight: weight} END
}, {undirectedRelationshipTypes: ['*']}) AS projected
RETURN projected.graphName AS name, projected.nodeCount AS nodes, projected.relationshipCount AS relationships
