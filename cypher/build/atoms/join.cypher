// One row: a slice of the atoms is joined by SIMILAR_TO, once per pair, with exactly those others that it should be with.
// $after: STRING  the id that the slice begins behind; '' for the first
// $slice: INTEGER  how many atoms the slice has
MATCH (atom:QcgAtom) // those that noted each other, and those that either noted for an entity that they share
WHERE atom.id > $after
WITH atom ORDER BY atom.id LIMIT $slice
CALL (atom) {
  MATCH (atom)-[old:SIMILAR_TO]->(other:QcgAtom)
  WHERE NOT (other.id IN atom.nearest AND atom.id IN other.nearest
    OR other.id IN coalesce(atom.sharing, []) OR atom.id IN coalesce(other.sharing, []))
  DELETE old
}
CALL (atom) {
  UNWIND atom.nearest + coalesce(atom.sharing, []) AS id
  WITH DISTINCT atom, id
  MATCH (other:QcgAtom {id: id})
  WHERE atom.id < id AND atom.id IN other.nearest AND id IN atom.nearest OR id IN coalesce(atom.sharing, [])
  WITH CASE WHEN atom.id < id THEN atom ELSE other END AS one, CASE WHEN atom.id < id THEN other ELSE atom END AS two
  MERGE (one)-[pair:SIMILAR_TO]->(two)
  SET pair.score = 2 * vector.similarity.cosine(one.embedding, two.embedding) - 1
}
RETURN max(atom.id) AS last
