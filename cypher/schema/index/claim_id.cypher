// No rows; each Claim has a id of its own.
CREATE CONSTRAINT claim_id IF NOT EXISTS
FOR (node:Claim) REQUIRE node.id IS UNIQUE
