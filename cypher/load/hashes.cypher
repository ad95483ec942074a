// The documents of these ids that the graph holds: title, source, the file that lists them, the hash of what they were loaded from, their dates.
// $documents: LIST<STRING>  ids of documents
UNWIND $documents AS id
MATCH (document:QcgDocument {id: id})
RETURN document.id AS id, document.contentHash AS contentHash, document.title AS title, document.source AS source,
       document.listedIn AS listedIn, toString(document.publishedAt) AS publishedAt, document.adoptedFrom AS adoptedFrom,
       document.qcgAdded IS NOT NULL OR EXISTS { (document)-[:ADOPTED_FROM]->() } AS isOfOthers
