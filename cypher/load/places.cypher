// No rows; tells chunks where in their document they are.
// $rows: LIST<MAP>  id, index, headings (the outermost first), page, lastPage; null where there are none
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
SET chunk.index = row.index, chunk.headings = row.headings, chunk.page = row.page, chunk.lastPage = row.lastPage
