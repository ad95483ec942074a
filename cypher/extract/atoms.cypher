// No rows; creates or updates atoms of chunks.
// $rows: LIST<MAP>  id, chunkId, text, source and embedding of each atom
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunkId})
MERGE (atom:QcgAtom:Atom {id: row.id})
SET atom.text = row.text, atom.source = row.source, atom.displayName = left(row.text, 60)
MERGE (atom)-[:FROM_CHUNK]->(chunk)
WITH atom, row
CALL db.create.setNodeVectorProperty(atom, 'embedding', row.embedding)
