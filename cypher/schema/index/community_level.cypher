// No rows; finds the communities of a level.
CREATE INDEX qcg_community_level IF NOT EXISTS
FOR (community:QcgCommunity) ON (community.level)
