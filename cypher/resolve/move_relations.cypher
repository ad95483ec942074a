// No rows; gives relations the ends that their names have now, as entities or as aliases.
// $rows: LIST<MAP>  entity (id of the one at which they are), name (id of the name that they are stated about; null for all)
UNWIND $rows AS row
MATCH (:Entity {id: row.entity})-[old:RELATED_TO]-(:Entity)
WHERE row.name IS NULL OR old.sourceId = row.name OR old.targetId = row.name
WITH DISTINCT old
OPTIONAL MATCH (:Alias {id: old.sourceId})-[:ALIAS_OF]->(sourceOfAlias:Entity)
OPTIONAL MATCH (ownSource:Entity {id: old.sourceId})
OPTIONAL MATCH (:Alias {id: old.targetId})-[:ALIAS_OF]->(targetOfAlias:Entity)
OPTIONAL MATCH (ownTarget:Entity {id: old.targetId})
WITH old, properties(old) AS kept,
     coalesce(sourceOfAlias, ownSource) AS source, coalesce(targetOfAlias, ownTarget) AS target
DELETE old
CREATE (source)-[new:RELATED_TO]->(target)
SET new = kept
