// No rows; removes aliases that no chunk uses any more; only a complete extraction knows.
MATCH (alias:QcgAlias)-[:ALIAS_OF]->(entity:QcgEntity)
WHERE NOT EXISTS { (entity)-[statement:FROM_CHUNK]->(:QcgChunk) WHERE statement.entityId = alias.id }
DETACH DELETE alias
