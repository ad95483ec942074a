// One row: the ids of a slice of the atoms, by id.
// $after: STRING  the id that the slice begins behind; '' for the first
// $slice: INTEGER  how many atoms the slice has
MATCH (node:QcgAtom)
WHERE node.id > $after
WITH node.id AS id ORDER BY id LIMIT $slice
RETURN collect(id) AS ids
