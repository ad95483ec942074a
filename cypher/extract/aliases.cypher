// The aliases that were merged into other entities.
MATCH (alias:QcgAlias)-[:ALIAS_OF]->(entity:QcgEntity)
RETURN alias.id AS alias, entity.id AS entity
