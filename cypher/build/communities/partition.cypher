// One row per community of the level above: into how many it was partitioned by Leiden; entities that are in a community of the level already stay there.
// $projection: STRING  the name of the projected graph; it is there afterwards
// $level: INTEGER  the level of the new communities; 0 is the root
// $parents: LIST<MAP>  id of a community to partition ('' is the whole graph), factor of the weights in it
// $gamma: FLOAT  resolution of the modularity of all of them together
// $isolated: BOOLEAN  whether entities without a relation are included
// $seed: INTEGER  random seed of Leiden
// $tolerance: FLOAT  by what modularity has to rise for another round of Leiden
// $firstId: INTEGER  higher than the id of any node
// $edgeWeight: STRING  what a relation counts: 'strength', or 'duplicates' for 1
CALL () {
  // An interrupted run may have left it.
  CALL gds.graph.drop($projection, false) YIELD graphName
  RETURN count(*) AS dropped
}
// One graph, in which relations between communities are left out: so each is partitioned as if it were alone.
CALL () {
  CALL () {
    UNWIND $parents AS given
    OPTIONAL MATCH (parent:QcgCommunity {id: given.id})
    CALL (parent) {
      WITH parent WHERE parent IS NULL
      MATCH (entity:QcgEntity)
      RETURN entity
      UNION ALL
      WITH parent
      MATCH (entity:QcgEntity)-[:IN_COMMUNITY]->(parent)
      RETURN entity
    }
    WITH given, parent, entity
    // level + 0 keeps the planner from looking up all communities of a level, once per entity.
    WHERE NOT EXISTS { (entity)-[:IN_COMMUNITY]->(it:QcgCommunity) WHERE it.level + 0 = $level }
      AND ($isolated OR EXISTS { (entity)-[:RELATED_TO]-() })
    CALL (parent, entity) {
      MATCH (entity)-[relation:RELATED_TO]-(other:QcgEntity)
      WHERE entity.id < other.id AND (parent IS NULL OR EXISTS { (other)-[:IN_COMMUNITY]->(parent) })
        AND NOT EXISTS { (other)-[:IN_COMMUNITY]->(it:QcgCommunity) WHERE it.level + 0 = $level }
      WITH other, toFloat(sum(CASE $edgeWeight WHEN 'duplicates' THEN 1 ELSE relation.strength END)) AS weight ORDER BY other.id
      RETURN collect({entity: other, weight: weight}) AS others
    }
    WITH given, entity, others ORDER BY given.id, entity.id
    // An entity without others is a row too.
    UNWIND CASE WHEN others = [] THEN [{entity: null, weight: 0.0}] ELSE others END AS edge
    RETURN entity AS source, edge.entity AS target, edge.weight * given.factor AS weight
    UNION ALL
    // Two more nodes that want to join: Leiden of GDS 2.26 breaks where no node moves at all.
    RETURN $firstId AS source, $firstId + 1 AS target, 1e-6 AS weight
  }
  RETURN gds.graph.project($projection, source, target, {
           relationshipProperties: CASE WHEN target IS NULL THEN null ELSE {weight: weight} END
         }, {undirectedRelationshipTypes: ['*']}) AS projected
}
CALL gds.leiden.stream($projection, {
  relationshipWeightProperty: 'weight', gamma: $gamma, randomSeed: $seed, tolerance: $tolerance, concurrency: 1
}) YIELD nodeId, communityId
WITH nodeId, communityId WHERE nodeId < $firstId
WITH communityId, collect(gds.util.asNode(nodeId)) AS members
WITH members, head(members) AS first
OPTIONAL MATCH (first)-[:IN_COMMUNITY]->(parent:QcgCommunity) WHERE parent.level + 0 = $level - 1
WITH parent, collect(members) AS parts, sum(size(members)) AS entities
WITH parent, parts, size(parts) > 1 OR parent IS NULL OR entities < parent.size AS splits
FOREACH (_ IN CASE WHEN splits THEN [] ELSE [1] END | SET parent.leaf = true)
WITH parent, CASE WHEN splits THEN parts ELSE [] END AS parts
CALL (parts) {
  UNWIND parts AS members
  MERGE (community:QcgCommunity:Community {id: $level + '-' + reduce(least = head(members).id, member IN members |
                                                       CASE WHEN member.id < least THEN member.id ELSE least END)})
  SET community.level = $level, community.size = size(members)
  REMOVE community.stale, community.leaf, community.weight
  FOREACH (member IN members | CREATE (member)-[:IN_COMMUNITY]->(community))
}
RETURN coalesce(parent.id, '') AS parent, size(parts) AS communities
