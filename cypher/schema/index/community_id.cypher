// No rows; one node per community.
CREATE CONSTRAINT community_id IF NOT EXISTS
FOR (community:Community) REQUIRE community.id IS UNIQUE
