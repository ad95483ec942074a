// The given nodes that permitted documents alone support: these documents, their chunks, and what is made from such chunks only.
// $nodes: LIST<STRING>  the element ids of the nodes
// $permitted: LIST<STRING>  the ids of the permitted documents
UNWIND $nodes AS id
MATCH (node) WHERE elementId(node) = id
MATCH (node)-[:FROM_CHUNK]->{0,1}()-[:FROM_DOCUMENT]->{0,1}(document:QcgDocument)
WITH node, collect(DISTINCT document.id) AS documents
WHERE all(document IN documents WHERE document IN $permitted)
RETURN elementId(node) AS node
