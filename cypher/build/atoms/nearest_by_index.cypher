// One row: a slice of the atoms has noted its nearest others (ids, best first) that the vector index finds.
// $after: STRING  the id that the slice begins behind; '' for the first
// $slice: INTEGER  how many atoms the slice has
// $neighbours: INTEGER  how many nearest neighbours each atom notes (k)
// $candidates: INTEGER  how many atoms are taken from the vector index, to be scored exactly
MATCH (atom:QcgAtom)
WHERE atom.id > $after
WITH atom ORDER BY atom.id LIMIT $slice
CALL (atom) {
  WITH atom, atom.embedding AS vector
  CALL db.index.vector.queryNodes('qcg_atom_embedding', $candidates, vector) YIELD node AS other
  WITH atom, other, vector.similarity.cosine(vector, other.embedding) AS score
  WHERE other <> atom
  ORDER BY score DESC, other.id
  LIMIT $neighbours
  RETURN collect(other.id) AS nearest
}
SET atom.nearest = nearest
WITH max(atom.id) AS last, count(atom) AS atoms
OPTIONAL MATCH (stage:QcgStage {name: 'atoms'})
SET stage.cursor = coalesce(last, stage.cursor)
RETURN last, atoms
