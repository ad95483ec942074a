// No rows; tells chunks where in their document they are, and which days they are about.
// $rows: LIST<MAP>  id, index, headings (the outermost first), page, lastPage, dates (ISO 8601); null where there are none
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
SET chunk.index = row.index, chunk.headings = row.headings, chunk.page = row.page, chunk.lastPage = row.lastPage,
    chunk.dates = row.dates
