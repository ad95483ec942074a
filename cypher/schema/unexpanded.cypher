// The ids of chunks that something was generated from and that do not have its words yet.
// $limit: INTEGER  how many at most
MATCH (chunk:QcgChunk)
WHERE chunk.expandedWords IS NULL AND (chunk.generated IS NOT NULL OR chunk.extracted IS NOT NULL)
RETURN chunk.id AS id
LIMIT $limit
