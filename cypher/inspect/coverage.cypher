// One row: what is missing, and should be nowhere: chunks without queries, queries without neighbours, and the like.
RETURN COUNT { (document:Document) WHERE document.contentHash IS NULL } AS unfinishedDocuments,
       COUNT { (chunk:Chunk) WHERE chunk.embedding IS NULL } AS chunksWithoutEmbedding,
       COUNT { (chunk:Chunk) WHERE NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:Query) } } AS chunksWithoutQueries,
       COUNT { (query:Query) WHERE NOT EXISTS { (query)-[:SIMILAR_TO]->(:Query) } } AS queriesWithoutNeighbours,
       COUNT { (query:Query) WHERE NOT EXISTS { (query)-[:FROM_CHUNK]->(:Chunk) } } AS queriesWithoutChunk,
       COUNT { (chunk:Chunk) WHERE chunk.extracted IS NULL AND EXISTS { (:Entity) } } AS chunksNotExtracted,
       COUNT { (entity:Entity) WHERE entity.embeddedName IS NULL OR entity.embeddedName <> entity.name }
         AS entitiesWithoutEmbedding,
       COUNT { (entity:Entity) WHERE NOT EXISTS { (entity)-[:FROM_CHUNK]->(:Chunk) } } AS entitiesWithoutChunk,
       COUNT { (atom:Atom) WHERE NOT EXISTS { (atom)-[:FROM_CHUNK]->(:Chunk) } } AS atomsWithoutChunk
