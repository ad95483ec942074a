// No rows; one node per community.
CREATE CONSTRAINT qcg_community_id IF NOT EXISTS
FOR (community:QcgCommunity) REQUIRE community.id IS UNIQUE
