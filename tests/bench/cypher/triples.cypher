// No rows; creates entities and triples between them.
// $rows: LIST<MAP>  id, source, target and embedding of each triple
UNWIND $rows AS row
MERGE (source:QcgEntity:Entity {id: row.source})
MERGE (target:QcgEntity:Entity {id: row.target})
CREATE (source)-[triple:RELATED_TO {id: row.id}]->(target)
WITH triple, row
CALL db.create.setRelationshipVectorProperty(triple, 'embedding', row.embedding)
