// The entities that the vector index finds for a question, with its own score: the bare call that local search begins with.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $number: INTEGER  how many entities are wanted
CALL db.index.vector.queryNodes('qcg_entity_embedding', $number, $questionVector) YIELD node AS entity, score
RETURN entity.id AS id, score
