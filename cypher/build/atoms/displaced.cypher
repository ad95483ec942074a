// Atoms to which one of some others is as near as the last one that they have noted.
// $ids: LIST<STRING>  ids of the others
// $candidates: INTEGER  how many atoms are taken from the vector index for each
UNWIND $ids AS id
MATCH (atom:QcgAtom {id: id})
CALL db.index.vector.queryNodes('qcg_atom_embedding', $candidates, atom.embedding) YIELD node AS other, score
WITH other, max(score) AS score
MATCH (last:QcgAtom {id: other.nearest[-1]})
WITH other.id AS id, other.embedding AS vector, last.embedding AS farthest, score
WHERE score > vector.similarity.cosine(vector, farthest) - 1e-6 AND NOT id IN $ids
RETURN id
