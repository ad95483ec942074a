// The triples whose textual representation is nearest to a question, best first.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many triples are taken from the vector index, to be scored exactly
// $triples: INTEGER  how many triples are returned (k)
CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector) YIELD relationship AS triple
WITH triple, 2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1 AS similarity
WHERE similarity IS NOT NULL AND startNode(triple):QcgEntity // what was deleted meanwhile holds nothing
WITH triple, similarity ORDER BY similarity DESC, triple.id
LIMIT $triples
RETURN triple.id AS id, startNode(triple).name AS source, triple.predicate AS predicate, endNode(triple).name AS target,
       triple.ttr AS ttr, triple.chunkId AS chunk, similarity
