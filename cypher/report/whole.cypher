// One row: the strength of all relations together.
MATCH (source:QcgEntity)-[relation:RELATED_TO]->(target:QcgEntity)
WHERE source <> target
RETURN toFloat(sum(relation.strength)) AS weight
