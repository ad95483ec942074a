// No rows; writes the windows of chunks that are longer than the model reads.
// $rows: LIST<MAP>  id, chunk, index, start, end (characters of the chunk's text), embedding (unit length)
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunk})
MERGE (window:QcgWindow:Window {id: row.id})
SET window.index = row.index, window.start = row.start, window.end = row.end
MERGE (window)-[:FROM_CHUNK]->(chunk)
WITH window, row
CALL db.create.setNodeVectorProperty(window, 'embedding', row.embedding)
