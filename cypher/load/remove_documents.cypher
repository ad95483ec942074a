// No rows; removes documents whose chunks are gone.
// $documents: LIST<STRING>  ids of documents
UNWIND $documents AS id
MATCH (document:QcgDocument {id: id})
DETACH DELETE document
