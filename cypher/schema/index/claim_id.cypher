// No rows; each Claim has a id of its own.
CREATE CONSTRAINT qcg_claim_id IF NOT EXISTS
FOR (node:QcgClaim) REQUIRE node.id IS UNIQUE
