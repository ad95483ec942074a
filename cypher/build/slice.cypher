// One row: the ids of a slice of the queries, by id.
// $after: STRING  the id that the slice begins behind; '' for the first
// $slice: INTEGER  how many queries the slice has
MATCH (node:QcgQuery)
WHERE node.id > $after
WITH node.id AS id ORDER BY id LIMIT $slice
RETURN collect(id) AS ids
