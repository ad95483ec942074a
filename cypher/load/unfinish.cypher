// No rows; forgets what documents were loaded from, so that an interrupted change is taken up again.
// $documents: LIST<STRING>  ids of documents
UNWIND $documents AS id
MATCH (document:QcgDocument {id: id})
REMOVE document.contentHash
