// No rows; creates documents with chunks, the entities that these state, and relations between them with their vectors.
// $rows: LIST<MAP>  id, chunk, document, source, target, strength, ttr, embedding of each relation
UNWIND $rows AS row
MERGE (document:QcgDocument:Document {id: row.document})
MERGE (chunk:QcgChunk:Chunk {id: row.chunk})
ON CREATE SET chunk.index = 0, chunk.text = row.ttr, chunk.tokenCount = 20
MERGE (chunk)-[:FROM_DOCUMENT]->(document)
MERGE (source:QcgEntity:Entity {id: row.source})
ON CREATE SET source.name = row.source, source.type = '', source.description = ''
MERGE (target:QcgEntity:Entity {id: row.target})
ON CREATE SET target.name = row.target, target.type = '', target.description = ''
MERGE (source)-[first:FROM_CHUNK]->(chunk)
SET first.name = source.name, first.type = '', first.description = ''
MERGE (target)-[second:FROM_CHUNK]->(chunk)
SET second.name = target.name, second.type = '', second.description = ''
CREATE (source)-[relation:RELATED_TO {id: row.id, strength: row.strength, ttr: row.ttr, chunkId: row.chunk}]->(target)
WITH source, target, relation, row
CALL db.create.setRelationshipVectorProperty(relation, 'embedding', row.embedding)
CALL db.create.setNodeVectorProperty(source, 'embedding', row.embedding)
CALL db.create.setNodeVectorProperty(target, 'embedding', row.embedding)
