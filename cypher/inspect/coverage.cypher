// One row: what is missing, and should be nowhere: chunks without queries, queries without neighbours, and the like.
RETURN COUNT { (document:Document) WHERE document.contentHash IS NULL } AS unfinishedDocuments,
       COUNT { (chunk:Chunk) WHERE chunk.embedding IS NULL } AS chunksWithoutEmbedding,
       COUNT { (chunk:Chunk) WHERE NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:Query) } } AS chunksWithoutQueries,
       COUNT { (query:Query) WHERE NOT EXISTS { (query)-[:SIMILAR_TO]->(:Query) } } AS queriesWithoutNeighbours,
       COUNT { (query:Query) WHERE NOT EXISTS { (query)-[:FROM_CHUNK]->(:Chunk) } } AS queriesWithoutChunk
