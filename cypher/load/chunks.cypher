// No rows; writes chunks with their vectors, each joined to its document.
// $rows: LIST<MAP>  id, document, text, textHash, tokenCount, embedding (unit length), embeddedAs (how it was made)
UNWIND $rows AS row
MATCH (document:QcgDocument {id: row.document})
MERGE (chunk:QcgChunk:Chunk {id: row.id})
SET chunk.text = row.text, chunk.textHash = row.textHash, chunk.tokenCount = row.tokenCount,
    chunk.embeddedAs = row.embeddedAs, chunk.displayName = left(row.text, 60)
MERGE (chunk)-[:FROM_DOCUMENT]->(document)
WITH chunk, row
CALL db.create.setNodeVectorProperty(chunk, 'embedding', row.embedding)
