// One row: how many chunks there are.
MATCH (chunk:QcgChunk)
RETURN count(chunk) AS chunks
