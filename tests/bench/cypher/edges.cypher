// The pairs of related entities with the sum of their relations' strengths, as a client reads them.
MATCH (entity:QcgEntity)-[relation:RELATED_TO]-(other:QcgEntity)
WHERE entity.id < other.id
RETURN entity.id AS source, other.id AS target, toFloat(sum(relation.strength)) AS weight
