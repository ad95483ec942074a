// The nodes that are nearest to a question by a vector index, scored exactly.
// $index: STRING  its name
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many are taken from the vector index, to be scored exactly
// $wanted: INTEGER  how many are returned
CALL db.index.vector.queryNodes($index, $candidates, $questionVector) YIELD node
WITH node, vector.similarity.cosine(node.embedding, $questionVector) AS score
ORDER BY score DESC LIMIT $wanted
RETURN node.id AS id
