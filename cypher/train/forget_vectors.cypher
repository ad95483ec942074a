// No rows; atoms forget their vectors in the link predictor.
MATCH (atom:QcgAtom)
WHERE atom.linkVector IS NOT NULL
CALL (atom) {
  REMOVE atom.linkVector
} IN TRANSACTIONS OF 10000 ROWS
