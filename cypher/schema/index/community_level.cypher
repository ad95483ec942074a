// No rows; finds the communities of a level.
CREATE INDEX community_level IF NOT EXISTS
FOR (community:Community) ON (community.level)
