// No rows; marks the chunks of a graph that was made before nodes were marked; embeddedAs is what only ours have.
MATCH (chunk:Chunk)
WHERE chunk.embeddedAs IS NOT NULL AND NOT chunk:QcgChunk
CALL (chunk) {
  SET chunk:QcgChunk
} IN TRANSACTIONS OF 5000 ROWS
