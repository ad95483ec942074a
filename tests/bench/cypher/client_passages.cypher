// QCG by a client, last step: the texts of the best chunks.
// $ids: LIST<STRING>  ids of chunks
UNWIND $ids AS id
MATCH (chunk:QcgChunk {id: id})-[:FROM_DOCUMENT]->(document:QcgDocument)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount
