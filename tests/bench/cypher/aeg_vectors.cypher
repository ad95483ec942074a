// No rows; gives atoms and entities of an atom-entity graph their vectors, and joins each to a chunk.
// $rows: LIST<MAP>  id, embedding and chunk of each
UNWIND $rows AS row
MATCH (node:QcgAtom|QcgEntity {id: row.id})
MATCH (chunk:QcgChunk {id: row.chunk})
CREATE (node)-[:FROM_CHUNK]->(chunk)
SET node.text = row.id, node.name = row.id
WITH node, row
CALL db.create.setNodeVectorProperty(node, 'embedding', row.embedding)
