// One row: numbers that should be 0, such as chunks without queries and queries without neighbours.
RETURN COUNT { (document:QcgDocument) WHERE document.contentHash IS NULL } AS unfinishedDocuments,
       COUNT { (chunk:QcgChunk) WHERE chunk.embedding IS NULL AND NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() } } AS chunksWithoutEmbedding,
       COUNT { (chunk:QcgChunk) WHERE NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgQuery) } AND NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() } }
         AS chunksWithoutQueries,
       COUNT { (query:QcgQuery) WHERE NOT EXISTS { (query)-[:SIMILAR_TO]->(:QcgQuery) } } AS queriesWithoutNeighbours,
       COUNT { (query:QcgQuery) WHERE NOT EXISTS { (query)-[:FROM_CHUNK]->(:QcgChunk) } } AS queriesWithoutChunk,
       COUNT { (chunk:QcgChunk) WHERE chunk.extracted IS NULL AND EXISTS { (:QcgEntity) } AND NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() } }
         AS chunksNotExtracted,
       COUNT { (entity:QcgEntity) WHERE entity.embeddedName IS NULL OR entity.embeddedName <> entity.name }
         AS entitiesWithoutEmbedding,
       COUNT { (entity:QcgEntity) WHERE NOT EXISTS { (entity)-[:FROM_CHUNK]->(:QcgChunk) } } AS entitiesWithoutChunk,
       COUNT { (atom:QcgAtom) WHERE NOT EXISTS { (atom)-[:FROM_CHUNK]->(:QcgChunk) } } AS atomsWithoutChunk
