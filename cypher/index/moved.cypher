// A page of the documents that were read elsewhere and have text in common with one from these places, by id, each with its file.
// $roots: LIST<STRING>  absolute paths of files or folders
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many documents a page has
MATCH (document:QcgDocument)
WITH document, coalesce(document.listedIn, document.source) AS file
WHERE document.id > $after AND document.adoptedFrom IS NULL AND none(root IN $roots WHERE file = root OR file STARTS WITH root + '/')
  AND EXISTS {
    MATCH (document)<-[:FROM_DOCUMENT]-(:QcgChunk)-[:SAME_TEXT_AS*1..2]-(:QcgChunk)-[:FROM_DOCUMENT]->(here:QcgDocument)
    WHERE any(root IN $roots WHERE coalesce(here.listedIn, here.source) = root OR coalesce(here.listedIn, here.source) STARTS WITH root + '/')
  }
RETURN document.id AS id, file
ORDER BY id LIMIT $limit
