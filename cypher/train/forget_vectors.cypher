// No rows; atoms forget their vectors in the link predictor.
MATCH (atom:Atom)
WHERE atom.linkVector IS NOT NULL
CALL (atom) {
  REMOVE atom.linkVector
} IN TRANSACTIONS OF 10000 ROWS
