// One row: how many documents and chunks the corpus has.
// $permitted: LIST<STRING>  the ids of the documents that are counted; null for all
WITH CASE WHEN $permitted IS NULL
  THEN [COUNT { (:QcgDocument) }, COUNT { (:QcgChunk) }]
  ELSE [COUNT { (document:QcgDocument) WHERE document.id IN $permitted },
        COUNT { (:QcgChunk)-[:FROM_DOCUMENT]->(document:QcgDocument) WHERE document.id IN $permitted }]
END AS sizes
RETURN sizes[0] AS documents, sizes[1] AS chunks
