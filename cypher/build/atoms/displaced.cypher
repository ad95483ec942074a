// Atoms to which one of some others is as near as the last one that they noted.
// $ids: LIST<STRING>  ids of the others
// $candidates: INTEGER  how many atoms are taken from the vector index for each
UNWIND $ids AS id
MATCH (atom:QcgAtom {id: id})
CALL db.index.vector.queryNodes('qcg_atom_embedding', $candidates, atom.embedding) YIELD node AS other, score
WITH other.id AS id, other.reach AS reach, max(score) AS score
WHERE score > reach - 1e-6 AND NOT id IN $ids
RETURN id
