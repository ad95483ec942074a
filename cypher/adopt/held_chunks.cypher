// A page of the adopted chunks by id, with their documents; chunks whose document was not adopted are excluded.
// $label: STRING  the label that they were adopted from
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many a page has
MATCH (document:QcgDocument {adoptedFrom: $label})<-[:FROM_DOCUMENT]-(chunk:QcgChunk)
WHERE chunk.id > $after
RETURN chunk.id AS id, document.id AS document
ORDER BY id LIMIT $limit
