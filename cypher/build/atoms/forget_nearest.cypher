// No rows; atoms forget what they noted to be joined; how near the last one is stays, for when more atoms come.
MATCH (atom:QcgAtom)
WHERE atom.nearest IS NOT NULL OR atom.sharing IS NOT NULL
CALL (atom) {
  OPTIONAL MATCH (last:QcgAtom {id: atom.nearest[-1]})
  SET atom.reach = vector.similarity.cosine(atom.embedding, last.embedding)
  REMOVE atom.nearest, atom.sharing
} IN TRANSACTIONS OF 10000 ROWS
