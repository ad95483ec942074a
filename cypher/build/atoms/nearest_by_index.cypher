// The nearest others of some atoms that the vector index finds, scored exactly, the best first.
// $ids: LIST<STRING>  ids of the atoms
// $neighbours: INTEGER  how many nearest neighbours each atom notes (k)
// $candidates: INTEGER  how many atoms are taken from the vector index, to be scored exactly
UNWIND $ids AS id
MATCH (atom:QcgAtom {id: id})
WITH atom, atom.embedding AS vector
CALL (atom, vector) {
  CALL db.index.vector.queryNodes('qcg_atom_embedding', $candidates, vector) YIELD node AS other
  WITH atom, other, other.id AS id, vector.similarity.cosine(vector, other.embedding) AS score
  WHERE other <> atom
  ORDER BY score DESC, id
  LIMIT $neighbours
  RETURN collect(id) AS nearest
}
RETURN atom.id AS id, nearest
