// The nearest others of some atoms that the vector index finds, the best first.
// $ids: LIST<STRING>  ids of the atoms
// $neighbours: INTEGER  how many nearest neighbours each atom notes (k)
// $candidates: INTEGER  how many atoms are taken from the vector index
UNWIND $ids AS id
MATCH (atom:QcgAtom {id: id})
WITH atom, atom.embedding AS vector
CALL (atom, vector) {
  CALL db.index.vector.queryNodes('qcg_atom_embedding', $candidates, vector) YIELD node AS other, score
  WITH atom, other, other.id AS id, score
  WHERE other <> atom
  ORDER BY score DESC, id
  LIMIT $neighbours
  RETURN collect(id) AS nearest
}
RETURN atom.id AS id, nearest
