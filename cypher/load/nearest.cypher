// Ids of documents, those first that share the most with a name that is not there.
// $id: STRING  the id that was not found
MATCH (document:QcgDocument)
WITH document.id AS id, reduce(same = 0, position IN range(0, size($id) - 2) |
       same + CASE WHEN toLower(document.id) CONTAINS toLower(substring($id, position, 2)) THEN 1 ELSE 0 END) AS same
WHERE same > 0
RETURN id
ORDER BY same DESC, size(id), id
LIMIT 3
