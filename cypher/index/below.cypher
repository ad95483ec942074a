// A page of the documents that were read from a file, or from files below a folder, by id.
// $root: STRING  absolute path of the file or folder
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many documents a page has
MATCH (document:QcgDocument)
WHERE document.id > $after AND (document.source = $root OR document.source STARTS WITH $root + '/')
RETURN document.id AS id, document.source AS source
ORDER BY id LIMIT $limit
