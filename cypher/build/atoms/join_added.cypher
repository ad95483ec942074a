// No rows; joins new atoms, and the ones that they came near to, by SIMILAR_TO with exactly those others that they should be with.
// $found: LIST<MAP>  id, and nearest: the ids of its nearest others, the best first; any other atom keeps its own
UNWIND $found AS one
MATCH (atom:QcgAtom {id: one.id})
CALL (atom, one) {
  MATCH (atom)-[old:SIMILAR_TO]-(other:QcgAtom)
  WHERE NOT other.id IN one.nearest OR any(two IN $found WHERE two.id = other.id AND NOT one.id IN two.nearest)
  DELETE old
}
CALL (atom, one) {
  UNWIND one.nearest AS id
  WITH atom, id WHERE any(two IN $found WHERE two.id = id AND atom.id IN two.nearest)
  MATCH (other:QcgAtom {id: id})
  WITH CASE WHEN atom.id < id THEN atom ELSE other END AS lower, CASE WHEN atom.id < id THEN other ELSE atom END AS upper
  MERGE (lower)-[pair:SIMILAR_TO]->(upper)
  SET pair.score = 2 * vector.similarity.cosine(lower.embedding, upper.embedding) - 1
}
MATCH (last:QcgAtom {id: one.nearest[-1]})
SET atom.reach = vector.similarity.cosine(atom.embedding, last.embedding)
