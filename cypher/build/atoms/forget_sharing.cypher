// No rows; atoms forget what they noted for the entities that they share; their nearest others stay, for when more atoms come.
MATCH (atom:QcgAtom)
WHERE atom.sharing IS NOT NULL
CALL (atom) {
  REMOVE atom.sharing
} IN TRANSACTIONS OF 10000 ROWS
