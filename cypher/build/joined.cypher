// One row: how many SIMILAR_TO relationships join queries.
MATCH (:Query)-[near:SIMILAR_TO]->(:Query)
RETURN count(near) AS relationships
