// The vectors of chunks, to compare them with each other.
// $chunks: LIST<STRING>  ids of chunks
UNWIND $chunks AS wanted
MATCH (chunk:QcgChunk {id: wanted})
RETURN chunk.id AS id, chunk.embedding AS embedding
