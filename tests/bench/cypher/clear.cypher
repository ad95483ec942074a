// No rows; removes everything that a measurement has written.
MATCH (node)
CALL (node) {
  DETACH DELETE node
} IN TRANSACTIONS OF 1000 ROWS
