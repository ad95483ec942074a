// No rows; chunks of ours that have taken over a text forget its vector, which was theirs and is of another text now.
// $hashes: LIST<STRING>  hashes of texts
UNWIND $hashes AS hash
MATCH (chunk:QcgChunk {textHash: hash})
WHERE chunk.qcgAdded IS NULL AND NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
REMOVE chunk.embedding
