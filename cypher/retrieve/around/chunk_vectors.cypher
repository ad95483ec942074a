// The vectors of chunks, to compare them with each other.
// $chunks: LIST<STRING>  ids of chunks
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $chunks AS wanted
MATCH (chunk:QcgChunk {id: wanted})
WHERE $permitted IS NULL OR EXISTS {
  (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
RETURN chunk.id AS id, chunk.embedding AS embedding
