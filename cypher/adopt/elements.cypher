// The chunks of others, a row each: its position in its document, and what names the document.
// $label: STRING  their label
// $text: STRING  the property with their text
// $relationship: STRING  the type that joins them to their documents; null without
// $document: STRING  the property that names their document; null without
// $order: STRING  the property that says the position of a chunk in its document; null without
MATCH (theirs:$($label))
WHERE theirs[$text] IS NOT NULL
  AND (theirs.qcgAdded IS NOT NULL OR none(mark IN labels(theirs) WHERE mark STARTS WITH 'Qcg'))
RETURN elementId(theirs) AS element, theirs[$order] AS position, theirs[$document] AS name,
       COLLECT { MATCH (theirs)-[joined]-(document)
                 WHERE type(joined) = $relationship AND joined.qcgAdded IS NULL AND NOT $label IN labels(document)
                   AND (document.qcgAdded IS NOT NULL OR none(mark IN labels(document) WHERE mark STARTS WITH 'Qcg'))
                 RETURN DISTINCT elementId(document) AS element ORDER BY element } AS documents
