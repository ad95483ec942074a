// The relationships that are nearest to a question by a vector index, scored exactly.
// $index: STRING  its name
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many are taken from the vector index, to be scored exactly
// $wanted: INTEGER  how many are returned
CALL db.index.vector.queryRelationships($index, $candidates, $questionVector) YIELD relationship
WITH relationship, vector.similarity.cosine(relationship.embedding, $questionVector) AS score
ORDER BY score DESC LIMIT $wanted
RETURN relationship.id AS id
