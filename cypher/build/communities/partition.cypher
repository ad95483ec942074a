// One row per community of the level above: into how many it was partitioned by Leiden; entities that are in a community of the level already stay there.
// $level: INTEGER  the level of the new communities; 0 is the root
// $parents: LIST<STRING>  ids of the communities to partition; [''] partitions the whole graph
// $wholeWeight: FLOAT  weight of all relations, for the root
// $gamma: FLOAT  resolution of the modularity
// $isolated: BOOLEAN  whether entities without a relation take part
// $seed: INTEGER  random seed of Leiden
UNWIND $parents AS parentId
OPTIONAL MATCH (parent:Community {id: parentId})
CALL (parentId) {
  // An interrupted run may have left it.
  CALL gds.graph.drop('qcg_part_' + parentId, false) YIELD graphName
  RETURN count(*) AS dropped
}
CALL (parentId, parent) {
  CALL (parentId, parent) {
    WITH parentId WHERE parentId = ''
    MATCH (entity:Entity)
    RETURN entity
    UNION ALL
    WITH parent
    MATCH (entity:Entity)-[:IN_COMMUNITY]->(parent)
    RETURN entity
  }
  WITH parent, entity
  WHERE NOT EXISTS { (entity)-[:IN_COMMUNITY]->(:Community {level: $level}) }
    AND ($isolated OR EXISTS { (entity)-[:RELATED_TO]-() })
  CALL (parent, entity) {
    MATCH (entity)-[relation:RELATED_TO]-(other:Entity)
    WHERE entity.id < other.id AND (parent IS NULL OR EXISTS { (other)-[:IN_COMMUNITY]->(parent) })
      AND NOT EXISTS { (other)-[:IN_COMMUNITY]->(:Community {level: $level}) }
    WITH other, sum(relation.strength) AS weight ORDER BY other.id
    RETURN collect({entity: other, weight: toFloat(weight)}) AS others
  }
  WITH entity, others ORDER BY entity.id
  // An entity without others is a row too.
  UNWIND CASE WHEN others = [] THEN [{entity: null, weight: 0.0}] ELSE others END AS edge
  WITH entity, edge.entity AS other, edge.weight AS weight
  RETURN gds.graph.project('qcg_part_' + parentId, entity, other, {
           relationshipProperties: CASE WHEN other IS NULL THEN null ELSE {weight: weight} END
         }, {undirectedRelationshipTypes: ['*']}) AS projected,
         sum(weight) AS weight
}
WITH parentId, parent, projected.graphName AS name, projected.nodeCount AS entities, weight,
     coalesce(parent.weight, $wholeWeight) AS whole
// Of a rest, the share of its own weight keeps the resolution that the whole has.
CALL gds.leiden.stream(name, {
  relationshipWeightProperty: 'weight', randomSeed: $seed, concurrency: 1,
  gamma: CASE WHEN whole > 0 AND weight > 0 THEN $gamma * weight / whole ELSE $gamma END
}) YIELD nodeId, communityId
WITH parentId, parent, name, entities, communityId, collect(gds.util.asNode(nodeId)) AS members
WITH parentId, parent, name, entities, collect(members) AS parts
CALL gds.graph.drop(name) YIELD graphName
WITH parentId, parent, parts, size(parts) > 1 OR parent IS NULL OR entities < parent.size AS splits
FOREACH (_ IN CASE WHEN splits THEN [] ELSE [1] END | SET parent.leaf = true)
WITH parentId, CASE WHEN splits THEN parts ELSE [] END AS parts
CALL (parts) {
  UNWIND parts AS members
  MERGE (community:Community {id: $level + '-' + reduce(least = head(members).id, member IN members |
                                                       CASE WHEN member.id < least THEN member.id ELSE least END)})
  SET community.level = $level, community.size = size(members)
  REMOVE community.stale, community.leaf, community.weight
  FOREACH (member IN members | CREATE (member)-[:IN_COMMUNITY]->(community))
}
RETURN parentId AS parent, size(parts) AS communities
