// No rows; removes what joins atoms.
MATCH (:QcgAtom)-[pair:SIMILAR_TO]->(:QcgAtom)
CALL (pair) {
  DELETE pair
} IN TRANSACTIONS OF 10000 ROWS
