// One row: how many SIMILAR_TO relationships join queries.
MATCH (:QcgQuery)-[near:SIMILAR_TO]->(:QcgQuery)
RETURN count(near) AS relationships
