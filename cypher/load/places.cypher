// No rows; writes the positions of chunks in their documents.
// $rows: LIST<MAP>  id, index, headings (the outermost first), page, lastPage; null where there are none
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
SET chunk.index = row.index, chunk.headings = row.headings, chunk.page = row.page, chunk.lastPage = row.lastPage
