// The documents that were adopted, with how many chunks each has.
MATCH (document:QcgDocument)
WHERE document.adoptedFrom IS NOT NULL
RETURN document.id AS id, document.adoptedFrom AS label, COUNT { (document)<-[:FROM_DOCUMENT]-(:QcgChunk) } AS chunks
ORDER BY id
