// No rows; removes every SYNONYM_OF.
MATCH (:QcgEntity)-[synonym:SYNONYM_OF]->(:QcgEntity)
CALL (synonym) {
  DELETE synonym
} IN TRANSACTIONS OF 10000 ROWS
