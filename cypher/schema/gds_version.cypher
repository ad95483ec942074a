// One row: the version of Graph Data Science.
RETURN gds.version() AS version
