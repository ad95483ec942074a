// No rows; takes from documents of others what adopting has added.
// $documents: LIST<STRING>  ids of documents
UNWIND $documents AS id
MATCH (document:QcgDocument {id: id})
WHERE document.qcgAdded IS NOT NULL
WITH document, document.qcgAdded AS added
REMOVE document:QcgDocument, document.qcgAdded, document.adoptedFrom, document.contentHash
FOREACH (name IN [name IN added WHERE NOT name STARTS WITH ':'] | REMOVE document[name])
FOREACH (name IN [name IN added WHERE name STARTS WITH ':'] | REMOVE document:$(substring(name, 1)))
