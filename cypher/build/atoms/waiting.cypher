// Atoms that have not noted as many others as they should: new ones, and all of whose others one is gone.
// $neighbours: INTEGER  how many nearest neighbours each atom notes (k)
MATCH (atom:QcgAtom)
WHERE coalesce(size(atom.nearest), 0) < $neighbours OR any(id IN atom.nearest WHERE NOT EXISTS { (:QcgAtom {id: id}) })
RETURN atom.id AS id
