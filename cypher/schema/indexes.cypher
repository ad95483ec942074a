// The indexes that exist, those behind constraints included, with what they cover, the dimension of those over vectors, and the analyzer of those over words.
SHOW INDEXES YIELD name, labelsOrTypes, properties, options
RETURN name, labelsOrTypes AS covers, properties, options.indexConfig['vector.dimensions'] AS dimension,
       options.indexConfig['fulltext.analyzer'] AS analyzer
