// The best of some atoms for a question, by the procedure.
// $ids: LIST<STRING>  the atoms
// $questionVector: LIST<FLOAT>  the question's embedding
MATCH (atom:QcgAtom) WHERE atom.id IN $ids
WITH collect(atom) AS atoms
CALL qcg.links.score($questionVector, atoms, {atoms: 25, reasons: 0}) YIELD atom, score
RETURN atom.id AS id, score
ORDER BY score DESC, id
