// Chunks without the hash of their text, as a graph has them that was made before chunks had one.
// $limit: INTEGER  how many at most
MATCH (chunk:QcgChunk)
WHERE chunk.textHash IS NULL
RETURN chunk.id AS id, chunk.text AS text
LIMIT $limit
