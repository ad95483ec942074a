// All chunks with their documents, for an answer from all texts.
MATCH (chunk:QcgChunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
WHERE NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
WITH chunk, document, COLLECT {
       MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
       RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
     } AS also
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, chunk.page AS page, chunk.lastPage AS lastPage, chunk.headings AS headings,
       also, document {.*} AS metadata, 0.0 AS score, [] AS paths
ORDER BY id
