// One row: how many SYNONYM_OF relationships join entities.
MATCH (:QcgEntity)-[synonym:SYNONYM_OF]->() // a label at one end alone: the store of counts knows
RETURN count(synonym) AS relationships
