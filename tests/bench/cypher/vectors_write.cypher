// No rows; nodes with a vector each, which an index of a measurement is made of.
// $rows: LIST<MAP>  id, embedding
UNWIND $rows AS row
CREATE (node {id: row.id})
SET node:BenchVector
WITH node, row
CALL db.create.setNodeVectorProperty(node, 'embedding', row.embedding)
