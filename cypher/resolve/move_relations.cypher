// No rows; gives relations the ends that their names have now, as entities or as aliases.
// $rows: LIST<MAP>  entity (id of the one at which they are), name (id of the name that they are stated about; null for all)
UNWIND $rows AS row
MATCH (:QcgEntity {id: row.entity})-[old:RELATED_TO]-(:QcgEntity)
WHERE row.name IS NULL OR old.sourceId = row.name OR old.targetId = row.name
WITH DISTINCT old
OPTIONAL MATCH (:QcgAlias {id: old.sourceId})-[:ALIAS_OF]->(sourceOfAlias:QcgEntity)
OPTIONAL MATCH (ownSource:QcgEntity {id: old.sourceId})
OPTIONAL MATCH (:QcgAlias {id: old.targetId})-[:ALIAS_OF]->(targetOfAlias:QcgEntity)
OPTIONAL MATCH (ownTarget:QcgEntity {id: old.targetId})
WITH old, properties(old) AS kept,
     coalesce(sourceOfAlias, ownSource) AS source, coalesce(targetOfAlias, ownTarget) AS target
DELETE old
CREATE (source)-[new:RELATED_TO]->(target)
SET new = kept
