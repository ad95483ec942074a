// The indexes that exist, those behind constraints included, with what they cover, and the dimension of those over vectors.
SHOW INDEXES YIELD name, labelsOrTypes, properties, options
RETURN name, labelsOrTypes AS covers, properties, options.indexConfig['vector.dimensions'] AS dimension
