// No rows; joins some atoms by SIMILAR_TO, once per pair, with exactly those others that they should be with.
// $ids: LIST<STRING>  ids of the atoms
UNWIND $ids AS id
MATCH (atom:QcgAtom {id: id}) // with those that noted each other, and those that either noted for an entity that they share
CALL (atom) {
  MATCH (atom)-[old:SIMILAR_TO]-(other:QcgAtom)
  WHERE NOT (other.id IN atom.nearest AND atom.id IN other.nearest
    OR other.id IN coalesce(atom.sharing, []) OR atom.id IN coalesce(other.sharing, []))
  DELETE old
}
CALL (atom) {
  UNWIND atom.nearest + coalesce(atom.sharing, []) AS id
  WITH DISTINCT atom, id
  MATCH (other:QcgAtom {id: id})
  WHERE atom.id IN other.nearest AND id IN atom.nearest OR id IN coalesce(atom.sharing, [])
  WITH CASE WHEN atom.id < id THEN atom ELSE other END AS one, CASE WHEN atom.id < id THEN other ELSE atom END AS two
  MERGE (one)-[pair:SIMILAR_TO]->(two)
  SET pair.score = 2 * vector.similarity.cosine(one.embedding, two.embedding) - 1
}
