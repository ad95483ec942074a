// One row per partitioned community of the level above: into how many it was partitioned on the client; its parts are the communities of the level.
// $level: INTEGER  the level of the new communities; 0 is the root
// $parents: LIST<MAP>  id of a community that was partitioned ('' is the whole graph), parts (lists of ids of its entities)
UNWIND $parents AS given
OPTIONAL MATCH (parent:QcgCommunity {id: given.id})
WITH given, parent, size(given.parts) > 1 OR parent IS NULL
     OR reduce(entities = 0, part IN given.parts | entities + size(part)) < parent.size AS splits
FOREACH (_ IN CASE WHEN splits THEN [] ELSE [1] END | SET parent.leaf = true)
WITH given, CASE WHEN splits THEN given.parts ELSE [] END AS parts
CALL (parts) {
  UNWIND parts AS ids
  MERGE (community:QcgCommunity:Community {id: $level + '-' + reduce(least = head(ids), id IN ids |
                                                       CASE WHEN id < least THEN id ELSE least END)})
  SET community.level = $level, community.size = size(ids)
  REMOVE community.stale, community.leaf, community.weight
  WITH community, ids
  UNWIND ids AS id
  MATCH (member:QcgEntity {id: id})
  CREATE (member)-[:IN_COMMUNITY]->(community)
}
RETURN given.id AS parent, size(parts) AS communities
