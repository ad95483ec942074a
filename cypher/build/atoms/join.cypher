// One row: a slice of the atoms is joined by SIMILAR_TO with exactly those others that noted each other, once per pair.
// $after: STRING  the id that the slice begins behind; '' for the first
// $slice: INTEGER  how many atoms the slice has
MATCH (atom:Atom)
WHERE atom.id > $after
WITH atom ORDER BY atom.id LIMIT $slice
CALL (atom) {
  MATCH (atom)-[old:SIMILAR_TO]->(other:Atom)
  WHERE NOT (other.id IN atom.nearest AND atom.id IN other.nearest)
  DELETE old
}
CALL (atom) {
  UNWIND atom.nearest AS id
  MATCH (other:Atom {id: id})
  WHERE atom.id < id AND atom.id IN other.nearest
  MERGE (atom)-[pair:SIMILAR_TO]->(other)
  SET pair.score = 2 * vector.similarity.cosine(atom.embedding, other.embedding) - 1
}
RETURN max(atom.id) AS last
