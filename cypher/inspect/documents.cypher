// A page of the documents by id, with the number of chunks of each, its title, date and source.
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many documents a page has
MATCH (document:QcgDocument)
WHERE document.id > $after AND ($permitted IS NULL OR document.id IN $permitted)
WITH document ORDER BY document.id LIMIT $limit
RETURN document.id AS id, document.title AS title, document.publishedAt AS publishedAt,
       COUNT { (document)<-[:FROM_DOCUMENT]-(:QcgChunk) } AS chunks,
       coalesce(document.listedIn, document.source) AS source
ORDER BY id
