// No rows; removes all documents and all that was made from them; stages, the model and the lock stay.
MATCH (node:QcgDocument|QcgChunk|QcgWindow|QcgQuery|QcgEntity|QcgAlias|QcgAtom|QcgClaim|QcgCommunity|QcgSyntheticQuery|QcgLinkPredictor)
CALL (node) {
  DETACH DELETE node
} IN TRANSACTIONS OF 1000 ROWS
