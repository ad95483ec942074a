// No rows; atoms forget what they noted to be joined.
MATCH (atom:QcgAtom)
WHERE atom.nearest IS NOT NULL OR atom.sharing IS NOT NULL
CALL (atom) {
  REMOVE atom.nearest, atom.sharing
} IN TRANSACTIONS OF 10000 ROWS
