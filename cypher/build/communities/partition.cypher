// One row per community of the level above: into how many it was partitioned by Leiden; entities that are in a community of the level already stay there.
// $projection: STRING  the name of the projected graph; it is there afterwards
// $level: INTEGER  the level of the new communities; 0 is the root
// $parents: LIST<MAP>  id of a community to partition ('' is the whole graph), share of its weight that is between entities to partition
// $gamma: FLOAT  resolution of the modularity
// $isolated: BOOLEAN  whether entities without a relation take part
// $seed: INTEGER  random seed of Leiden
// $firstId: INTEGER  higher than the id of any node
CALL () {
  // An interrupted run may have left it.
  CALL gds.graph.drop($projection, false) YIELD graphName
  RETURN count(*) AS dropped
}
// One projection holds them all, each under a label of its own: projecting takes longer than Leiden does.
CALL () {
  CALL () {
    UNWIND range(0, size($parents) - 1) AS place
    OPTIONAL MATCH (parent:QcgCommunity {id: $parents[place].id})
    CALL (parent) {
      WITH parent WHERE parent IS NULL
      MATCH (entity:QcgEntity)
      RETURN entity
      UNION ALL
      WITH parent
      MATCH (entity:QcgEntity)-[:IN_COMMUNITY]->(parent)
      RETURN entity
    }
    WITH place, parent, entity
    WHERE NOT EXISTS { (entity)-[:IN_COMMUNITY]->(:QcgCommunity {level: $level}) }
      AND ($isolated OR EXISTS { (entity)-[:RELATED_TO]-() })
    CALL (parent, entity) {
      MATCH (entity)-[relation:RELATED_TO]-(other:QcgEntity)
      WHERE entity.id < other.id AND (parent IS NULL OR EXISTS { (other)-[:IN_COMMUNITY]->(parent) })
        AND NOT EXISTS { (other)-[:IN_COMMUNITY]->(:QcgCommunity {level: $level}) }
      WITH other, toFloat(sum(relation.strength)) AS weight ORDER BY other.id
      RETURN collect({entity: other, weight: weight}) AS others
    }
    WITH place, entity, others ORDER BY place, entity.id
    // An entity without others is a row too.
    UNWIND CASE WHEN others = [] THEN [{entity: null, weight: 0.0}] ELSE others END AS edge
    RETURN 'P' + place AS label, entity AS source, edge.entity AS target, edge.weight AS weight
    UNION ALL
    // Two more nodes that want to join: Leiden of GDS 2.26 breaks where no node moves at all.
    UNWIND range(0, size($parents) - 1) AS place
    RETURN 'P' + place AS label, 2 * place + $firstId AS source, 2 * place + 1 + $firstId AS target, 1e-6 AS weight
  }
  RETURN gds.graph.project($projection, source, target, {
           sourceNodeLabels: [label], targetNodeLabels: [label],
           relationshipProperties: CASE WHEN target IS NULL THEN null ELSE {weight: weight} END
         }, {undirectedRelationshipTypes: ['*']}) AS projected
}
UNWIND range(0, size($parents) - 1) AS place
OPTIONAL MATCH (parent:QcgCommunity {id: $parents[place].id})
CALL (place) {
  // Of a rest, the share of its own weight keeps the resolution that the whole has.
  CALL gds.leiden.stream($projection, {
    nodeLabels: ['P' + place], relationshipWeightProperty: 'weight', gamma: $gamma * $parents[place].share,
    randomSeed: $seed, concurrency: 1
  }) YIELD nodeId, communityId
  WITH nodeId, communityId WHERE nodeId < $firstId
  WITH communityId, collect(gds.util.asNode(nodeId)) AS members
  RETURN collect(members) AS parts, sum(size(members)) AS entities
}
WITH place, parent, parts, size(parts) > 1 OR parent IS NULL OR entities < parent.size AS splits
FOREACH (_ IN CASE WHEN splits THEN [] ELSE [1] END | SET parent.leaf = true)
WITH place, CASE WHEN splits THEN parts ELSE [] END AS parts
CALL (parts) {
  UNWIND parts AS members
  MERGE (community:QcgCommunity:Community {id: $level + '-' + reduce(least = head(members).id, member IN members |
                                                       CASE WHEN member.id < least THEN member.id ELSE least END)})
  SET community.level = $level, community.size = size(members)
  REMOVE community.stale, community.leaf, community.weight
  FOREACH (member IN members | MERGE (member)-[:IN_COMMUNITY]->(community))
}
RETURN $parents[place].id AS parent, size(parts) AS communities
