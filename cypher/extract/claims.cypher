// No rows; creates claims of chunks, each joined to the entities that it is about.
// $rows: LIST<MAP>  id, chunkId, type, status, description, startDate, endDate, quote, source, entities (lists of two ids, as of mentions)
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunkId})
MERGE (claim:QcgClaim:Claim {id: row.id})
SET claim.type = row.type, claim.status = row.status, claim.description = row.description,
    claim.startDate = row.startDate, claim.endDate = row.endDate, claim.quote = row.quote, claim.source = row.source
MERGE (claim)-[:FROM_CHUNK]->(chunk)
WITH claim, row
UNWIND row.entities AS ids
MATCH (entity:QcgEntity {id: ids[0]})
MERGE (claim)-[:ABOUT {entityId: ids[1]}]->(entity)
