// One row: how many SYNONYM_OF relationships join entities.
MATCH (:Entity)-[synonym:SYNONYM_OF]->(:Entity)
RETURN count(synonym) AS relationships
