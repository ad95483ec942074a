// Atoms whose nearest others have not been searched for.
MATCH (atom:QcgAtom)
WHERE atom.reach IS NULL
RETURN atom.id AS id
