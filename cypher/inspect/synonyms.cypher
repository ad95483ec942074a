// Pairs of entities that are taken for synonyms, the most similar first, as a graph to look at.
// $limit: INTEGER  how many pairs
MATCH path = (:QcgEntity)-[synonym:SYNONYM_OF]->(:QcgEntity)
RETURN path, synonym.score AS score
ORDER BY score DESC, elementId(synonym)
LIMIT $limit
