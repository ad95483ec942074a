// The aliases with the entities that they were merged into.
MATCH (alias:QcgAlias)-[:ALIAS_OF]->(entity:QcgEntity)
RETURN alias.id AS id, alias.name AS name, alias.score AS score, entity.id AS entity, entity.name AS entityName
ORDER BY entityName, name
