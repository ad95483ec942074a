// One row: how many chunks an interrupted run has already gone through.
// $cursor: STRING  the id of the last of them; '' for none
MATCH (chunk:QcgChunk)
WHERE chunk.id <= $cursor
RETURN count(chunk) AS chunks
