// No rows; all communities let go of their entities; those that come again keep their reports.
MATCH (community:QcgCommunity)
CALL (community) {
  OPTIONAL MATCH (community)-[edge:IN_COMMUNITY|PARENT]-()
  DELETE edge
} IN TRANSACTIONS OF 100 ROWS
