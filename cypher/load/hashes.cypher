// The documents of these ids that the graph holds, with their source and the hash of what they were loaded from.
// $documents: LIST<STRING>  ids of documents
UNWIND $documents AS id
MATCH (document:QcgDocument {id: id})
RETURN document.id AS id, document.contentHash AS contentHash, document.source AS source
