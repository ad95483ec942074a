// The names of the indexes that exist, those behind constraints included.
SHOW INDEXES YIELD name
RETURN name
