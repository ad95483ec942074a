// One row: how many SIMILAR_TO relationships join queries.
MATCH (:QcgQuery)-[near:SIMILAR_TO]->() // a label at one end alone: the store of counts knows
RETURN count(near) AS relationships
