// A page of chunks by id, each text once, with the title of their document and the marks of what was extracted from them.
// $after: STRING  the id behind which the page begins; empty for the first
// $until: STRING  the last id that may be among them
// $limit: INTEGER  how many chunks at most
MATCH (chunk:QcgChunk)
WHERE $after < chunk.id <= $until AND NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
RETURN chunk.id AS id, chunk.text AS text, chunk.extracted AS extracted, [(chunk)-[:FROM_DOCUMENT]->(document) | document.title][0] AS title
ORDER BY id LIMIT $limit
