// No rows; drops the full-text index that graphs of before the words of chunks have.
DROP INDEX chunk_text IF EXISTS
