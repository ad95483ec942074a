// A page of the atoms' vectors, by id.
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many rows the page has
MATCH (atom:QcgAtom)
WHERE atom.id > $after
RETURN atom.id AS id, atom.embedding AS embedding
ORDER BY id LIMIT $limit
