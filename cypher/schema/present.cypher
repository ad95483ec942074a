// The names of the indexes that exist, those behind constraints included, and the dimension of those over vectors.
SHOW INDEXES YIELD name, options
RETURN name, options.indexConfig['vector.dimensions'] AS dimension
