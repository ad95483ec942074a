// The triples that lead away from entities, with their cosine to a question: one step of a client's beam search.
// $entities: LIST<STRING>  the ids of the entities
// $questionVector: LIST<FLOAT>  the question's embedding
MATCH (source:QcgEntity)-[triple:RELATED_TO]->(target:QcgEntity)
WHERE source.id IN $entities
RETURN source.id AS source, triple.id AS id, target.id AS target,
       2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1 AS similarity
