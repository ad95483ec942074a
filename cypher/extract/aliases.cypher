// The aliases that were merged into other entities.
MATCH (alias:Alias)-[:ALIAS_OF]->(entity:Entity)
RETURN alias.id AS alias, entity.id AS entity
