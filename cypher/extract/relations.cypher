// No rows; creates or updates what chunks state about two entities, each with its text and that text's vector.
// $rows: LIST<MAP>  id, chunkId, sourceId, targetId, predicate, strength, ttr and embedding (of ttr)
UNWIND $rows AS row
MATCH (source:Entity {id: row.sourceId})
MATCH (target:Entity {id: row.targetId})
MERGE (source)-[relation:RELATED_TO {id: row.id}]->(target)
SET relation.predicate = row.predicate, relation.strength = row.strength, relation.ttr = row.ttr,
    relation.chunkId = row.chunkId
WITH relation, row
CALL db.create.setRelationshipVectorProperty(relation, 'embedding', row.embedding)
