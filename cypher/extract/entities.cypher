// No rows; creates entities, each joined to a chunk with its spelling, type and description there.
// $rows: LIST<MAP>  chunkId, id, entityId (of the name as the chunk has it; another one for an alias), name, type, description
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunkId})
MERGE (entity:QcgEntity:Entity {id: row.id})
MERGE (entity)-[statement:FROM_CHUNK {entityId: row.entityId}]->(chunk)
SET statement.name = row.name, statement.type = row.type, statement.description = row.description
