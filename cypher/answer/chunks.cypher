// All chunks with their documents, for an answer from all texts.
MATCH (chunk:QcgChunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, 0.0 AS score, [] AS paths
ORDER BY id
