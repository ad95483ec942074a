// No rows; creates or updates what chunks state about two entities, each with its text and that text's vector.
// $rows: LIST<MAP>  id, chunkId, source and target (ids), sourceId and targetId (of the names as the chunk has them), predicate, strength, ttr, embedding (of ttr)
UNWIND $rows AS row
MATCH (source:QcgEntity {id: row.source})
MATCH (target:QcgEntity {id: row.target})
MERGE (source)-[relation:RELATED_TO {id: row.id}]->(target)
SET relation.predicate = row.predicate, relation.strength = row.strength, relation.ttr = row.ttr,
    relation.chunkId = row.chunkId, relation.sourceId = row.sourceId, relation.targetId = row.targetId
WITH relation, row
CALL db.create.setRelationshipVectorProperty(relation, 'embedding', row.embedding)
