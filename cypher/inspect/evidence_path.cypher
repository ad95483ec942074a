// The paths from queries to the chunks and documents of an answer, as a graph to look at.
// $queryIds: LIST<STRING>  the ids of the queries on the paths
// $chunkIds: LIST<STRING>  the ids of the chunks of the answer
MATCH (query:QcgQuery)-[fromChunk:FROM_CHUNK]->(chunk:QcgChunk)-[fromDocument:FROM_DOCUMENT]->(document:QcgDocument)
WHERE query.id IN $queryIds AND chunk.id IN $chunkIds
OPTIONAL MATCH (query)-[similar:SIMILAR_TO]-(other:QcgQuery)
WHERE other.id IN $queryIds
RETURN query, fromChunk, chunk, fromDocument, document, similar, other
