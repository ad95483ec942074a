// One row: how many documents, chunks, vectors of chunks and relationships of each type were written.
RETURN COUNT { (:Document) } AS documents, COUNT { (:Chunk) } AS chunks,
       COUNT { MATCH (chunk:Chunk) WHERE chunk.embedding IS NOT NULL } AS vectors,
       COUNT { (:Chunk)-[:FROM_DOCUMENT]->(:Document) } AS fromDocument,
       COUNT { (:Chunk)-[:NEXT_CHUNK]->(:Chunk) } AS nextChunk
