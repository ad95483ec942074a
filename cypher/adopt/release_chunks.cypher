// No rows; takes from chunks of others what adopting and the stages have added.
// $rows: LIST<MAP>  id of a chunk that goes
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
WHERE chunk.qcgAdded IS NOT NULL
CALL (chunk) {
  MATCH (chunk)-[joined:FROM_DOCUMENT|NEXT_CHUNK|SAME_TEXT_AS]-()
  WHERE joined.qcgAdded OR joined:SAME_TEXT_AS
  DELETE joined
}
WITH chunk, chunk.qcgAdded AS added
REMOVE chunk:QcgChunk, chunk.qcgAdded, chunk.textHash, chunk.tokenCount, chunk.embeddedAs, chunk.words,
  chunk.expandedWords, chunk.generated, chunk.expanded, chunk.extracted, chunk.extractedBy, chunk.namesOnly,
  chunk.d2qAllEmbedding, chunk.d2qKeptEmbedding, chunk.dates
FOREACH (name IN [name IN added WHERE NOT name STARTS WITH ':'] | REMOVE chunk[name])
FOREACH (name IN [name IN added WHERE name STARTS WITH ':'] | REMOVE chunk:$(substring(name, 1)))
