// One row: how many chunks there are.
MATCH (chunk:Chunk)
RETURN count(chunk) AS chunks
