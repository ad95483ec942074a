// A page of the documents that were read from a file, or from files below a folder, by id; the file is that of the lines where it has some.
// $root: STRING  absolute path of the file or folder
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many documents a page has
MATCH (document:QcgDocument)
WITH document, coalesce(document.listedIn, document.source) AS file
WHERE document.id > $after AND document.adoptedFrom IS NULL AND (file = $root OR file STARTS WITH $root + '/')
RETURN document.id AS id, file, document.listedIn IS NOT NULL AS listed
ORDER BY id LIMIT $limit
