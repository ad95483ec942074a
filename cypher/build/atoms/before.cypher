// One row: how many atoms an interrupted search for neighbours has already gone through.
// $cursor: STRING  the id of the last of them; '' for none
MATCH (atom:QcgAtom)
WHERE atom.id <= $cursor
RETURN count(atom) AS atoms
