// The model that the database itself embeds by: its name, how many numbers a vector has, how many tokens it reads.
CALL qcg.embedding.model() YIELD name, dimension, windowTokens
RETURN name, dimension, windowTokens
