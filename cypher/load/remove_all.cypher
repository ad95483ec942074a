// No rows; removes all documents and all that was made from them; stages, the model and the lock stay.
MATCH (node:QcgDocument|QcgChunk|QcgWindow|QcgQuery|QcgEntity|QcgAlias|QcgAtom|QcgClaim|QcgCommunity|QcgSyntheticQuery|QcgLinkPredictor)
WHERE node.qcgAdded IS NULL // those of others are for adopt/release_chunks and adopt/release_documents
CALL (node) {
  DETACH DELETE node
} IN TRANSACTIONS OF 1000 ROWS
