// A page of chunks by id that have no vector, because the chunk that represented them has gone.
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many chunks a page has
MATCH (chunk:QcgChunk)
WHERE chunk.id > $after AND chunk.embedding IS NULL AND NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
RETURN chunk.id AS id, chunk.text AS text, chunk.tokenCount AS tokenCount, chunk.index AS index,
       chunk.headings AS headings, chunk.page AS page, chunk.lastPage AS lastPage,
       [(chunk)-[:FROM_DOCUMENT]->(document) | toString(document.publishedAt)][0] AS publishedAt
ORDER BY id LIMIT $limit
