// No rows; all communities lose their entities; the ones that are found again keep their reports.
MATCH (community:QcgCommunity)
CALL (community) {
  OPTIONAL MATCH (community)-[edge:IN_COMMUNITY|PARENT]-()
  DELETE edge
} IN TRANSACTIONS OF 100 ROWS
