// No rows; notes for documents the file of JSON Lines that lists them.
// $rows: LIST<MAP>  id, listedIn
UNWIND $rows AS row
MATCH (document:QcgDocument {id: row.id})
SET document.listedIn = row.listedIn
