// No rows; removes documents whose chunks are gone; those of others are for adopt/release_documents.
// $documents: LIST<STRING>  ids of documents
UNWIND $documents AS id
MATCH (document:QcgDocument {id: id})
WHERE document.qcgAdded IS NULL
DETACH DELETE document
