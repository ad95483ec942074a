// One row: how many SYNONYM_OF relationships join entities.
MATCH (:QcgEntity)-[synonym:SYNONYM_OF]->(:QcgEntity)
RETURN count(synonym) AS relationships
