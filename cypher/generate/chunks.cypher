// A page of chunks by id, each text once, with the marks of what their queries and their baseline vectors were made from.
// $after: STRING  the id behind which the page begins; empty for the first
// $until: STRING  the last id that may be among them
// $limit: INTEGER  how many chunks at most
MATCH (chunk:QcgChunk)
WHERE $after < chunk.id <= $until AND NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
WITH chunk ORDER BY chunk.id LIMIT $limit
// The first numbers of the vector identify a chunk that was embedded again.
RETURN chunk.id AS id, chunk.text AS text, chunk.embedding[0..4] AS vectorMark,
       chunk.generated AS generated, chunk.expanded AS expanded
ORDER BY id
