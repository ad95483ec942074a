// No rows; tells chunks where in their document they stand, and gives them the words that they are found by.
// $rows: LIST<MAP>  id, index, headings (the outermost first), page, lastPage; null where there are none
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.id})
WITH chunk, row, coalesce(row.headings, []) AS headings
// Words of other headings are out of date, and are made again when the graph is opened.
SET chunk.expandedWords = CASE WHEN headings = coalesce(chunk.headings, []) THEN chunk.expandedWords END
SET chunk.index = row.index, chunk.headings = row.headings, chunk.page = row.page, chunk.lastPage = row.lastPage,
    // What another chunk stands for has none. The index's analyzer would take 20260105_11 or Schulz's as one.
    chunk.words = CASE WHEN NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() } THEN
      replace(replace(replace(reduce(words = '', heading IN headings | words + heading + ' ') + chunk.text,
                              '_', ' '), "'", ' '), '’', ' ') END
