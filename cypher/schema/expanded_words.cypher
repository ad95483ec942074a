// No rows; gives chunks the words that they are found by: their own and those of their queries, atoms, triples and headings (Doc2Query).
// $chunkIds: LIST<STRING>  the ids of the chunks
UNWIND $chunkIds AS chunkId
MATCH (chunk:QcgChunk {id: chunkId})
WITH chunk,
     COLLECT {
       MATCH (chunk)<-[:FROM_CHUNK]-(made:QcgQuery|QcgAtom)
       RETURN coalesce(made.question + ' ' + made.answer, made.text) AS text ORDER BY text
     } +
     COLLECT { MATCH ()-[relation:RELATED_TO {chunkId: chunk.id}]->() RETURN relation.ttr AS text ORDER BY text } +
     coalesce(chunk.headings, []) AS texts
WITH chunk, reduce(whole = chunk.text, text IN texts | whole + ' ' + text) AS whole
WITH chunk, replace(replace(replace(whole, '_', ' '), "'", ' '), '’', ' ') AS words
WHERE chunk.expandedWords IS NULL OR chunk.expandedWords <> words
SET chunk.expandedWords = words
