// A page of the atoms by id: the labels of each in a projected graph, and its vector.
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many rows the page has
MATCH (atom:QcgAtom)
WHERE atom.id > $after
RETURN atom.id AS id, ['Atom'] AS labels, elementId(atom) AS element, atom.embedding AS embedding
ORDER BY id LIMIT $limit
