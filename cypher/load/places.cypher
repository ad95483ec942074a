// No rows; writes the positions of chunks in their documents, and the days that they are about.
// $rows: LIST<MAP>  id, index, headings (the outermost first), page, lastPage; null where there are none; dates (ISO 8601) of the days that its text names
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
SET chunk.index = row.index, chunk.headings = row.headings, chunk.page = row.page, chunk.lastPage = row.lastPage
WITH chunk, coalesce(row.dates, []) + COLLECT {
  MATCH (chunk)-[:FROM_DOCUMENT]->(document)
  WITH left(toString(document.publishedAt), 10) AS day WHERE day =~ '\\d{4}-\\d{2}-\\d{2}' AND NOT day IN coalesce(row.dates, [])
  RETURN day } AS dates
SET chunk.dates = CASE dates WHEN [] THEN null ELSE dates END
