// One row: how many documents and chunks the corpus has.
RETURN COUNT { (:QcgDocument) } AS documents, COUNT { (:QcgChunk) } AS chunks
