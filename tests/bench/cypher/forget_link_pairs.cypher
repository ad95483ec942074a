// No rows; removes what joins atoms.
MATCH (:Atom)-[pair:SIMILAR_TO]->(:Atom)
CALL (pair) {
  DELETE pair
} IN TRANSACTIONS OF 10000 ROWS
