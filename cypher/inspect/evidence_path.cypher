// The paths from queries to the chunks and documents of an answer, as a graph to look at.
// $queryIds: LIST<STRING>  the ids of the queries on the paths
// $chunkIds: LIST<STRING>  the ids of the chunks of the answer
MATCH (query:Query)-[fromChunk:FROM_CHUNK]->(chunk:Chunk)-[fromDocument:FROM_DOCUMENT]->(document:Document)
WHERE query.id IN $queryIds AND chunk.id IN $chunkIds
OPTIONAL MATCH (query)-[similar:SIMILAR_TO]-(other:Query)
WHERE other.id IN $queryIds
RETURN query, fromChunk, chunk, fromDocument, document, similar, other
