// One row: how many documents, chunks, vectors of chunks and relationships of each type were written.
RETURN COUNT { (:QcgDocument) } AS documents, COUNT { (:QcgChunk) } AS chunks,
       COUNT { MATCH (chunk:QcgChunk) WHERE chunk.embedding IS NOT NULL } AS vectors,
       COUNT { (:QcgChunk)-[:FROM_DOCUMENT]->(:QcgDocument) } AS fromDocument,
       COUNT { (:QcgChunk)-[:NEXT_CHUNK]->(:QcgChunk) } AS nextChunk
