// No rows; writes chunks with their vectors, each joined to its document.
// $rows: LIST<MAP>  id, document, index, text, textHash, tokenCount, embedding (unit length), embeddedAs (how it was made)
UNWIND $rows AS row
MATCH (document:QcgDocument {id: row.document})
MERGE (chunk:QcgChunk:Chunk {id: row.id})
SET chunk.index = row.index, chunk.text = row.text, chunk.tokenCount = row.tokenCount,
    chunk.embeddedAs = row.embeddedAs, chunk.textHash = row.textHash,
    // What is found by words: the index's analyzer would take 20260105_11 or Schulz's as one.
    chunk.words = replace(replace(replace(row.text, '_', ' '), "'", ' '), '’', ' ')
MERGE (chunk)-[:FROM_DOCUMENT]->(document)
WITH chunk, row
CALL db.create.setNodeVectorProperty(chunk, 'embedding', row.embedding)
