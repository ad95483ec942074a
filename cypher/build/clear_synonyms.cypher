// No rows; removes every SYNONYM_OF.
MATCH (:Entity)-[synonym:SYNONYM_OF]->(:Entity)
CALL (synonym) {
  DELETE synonym
} IN TRANSACTIONS OF 10000 ROWS
