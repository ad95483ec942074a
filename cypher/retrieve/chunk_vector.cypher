// The chunks nearest to a question by one of their own vectors, best first.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $property: STRING  the vector that is compared: embedding, d2qAllEmbedding or d2qKeptEmbedding
// $candidates: INTEGER  how many chunks are taken from the vector index, to be scored exactly
// $passages: INTEGER  how many chunks are returned (K)
WITH {embedding: 'qcg_chunk_embedding', d2qAllEmbedding: 'qcg_chunk_d2q_all', d2qKeptEmbedding: 'qcg_chunk_d2q_kept'} AS indexes
CALL db.index.vector.queryNodes(indexes[$property], $candidates, $questionVector) YIELD node AS chunk
WITH chunk, 2 * vector.similarity.cosine(chunk[$property], $questionVector) - 1 AS score
WHERE score IS NOT NULL // what was deleted meanwhile holds nothing
WITH chunk, score ORDER BY score DESC, chunk.id
LIMIT $passages
MATCH (chunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
WITH chunk {.id, .index, .text, .tokenCount, .page, .lastPage, .headings, also: COLLECT {
       MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
       RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
     }} AS chunk, document {.id, .title} AS document, score
WHERE all(value IN [chunk.id, chunk.index, chunk.text, chunk.tokenCount, document.id] WHERE value IS NOT NULL)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, chunk.page AS page, chunk.lastPage AS lastPage, chunk.headings AS headings,
       chunk.also AS also, score, [] AS paths
ORDER BY score DESC, id
