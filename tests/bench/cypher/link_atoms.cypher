// No rows; creates atoms with their embeddings.
// $rows: LIST<MAP>  id and embedding of each atom
UNWIND $rows AS row
CREATE (atom:QcgAtom:Atom {id: row.id, text: row.id})
WITH atom, row
CALL db.create.setNodeVectorProperty(atom, 'embedding', row.embedding)
