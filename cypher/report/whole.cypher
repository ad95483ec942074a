// One row: the strength of all relations together.
MATCH (source:Entity)-[relation:RELATED_TO]->(target:Entity)
WHERE source <> target
RETURN toFloat(sum(relation.strength)) AS weight
