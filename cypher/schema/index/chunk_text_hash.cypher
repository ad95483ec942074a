// No rows; finds chunks with the same text.
CREATE INDEX qcg_chunk_text_hash IF NOT EXISTS
FOR (chunk:QcgChunk) ON (chunk.textHash)
