// One row: how many chunks there are, each text once.
MATCH (chunk:QcgChunk)
WHERE NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
RETURN count(chunk) AS chunks
