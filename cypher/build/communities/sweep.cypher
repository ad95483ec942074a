// No rows; removes communities that have no entity left.
MATCH (community:QcgCommunity)
WHERE NOT EXISTS { (community)<-[:IN_COMMUNITY]-() }
CALL (community) {
  DETACH DELETE community
} IN TRANSACTIONS OF 500 ROWS
