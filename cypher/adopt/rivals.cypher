// What is taken already: a row per text (by its hash) and per id that a chunk of ours has.
// $hashes: LIST<STRING>  hashes of texts
// $ids: LIST<STRING>  ids
UNWIND $hashes AS value
MATCH (chunk:QcgChunk {textHash: value})
RETURN 'text' AS kind, value, chunk.id AS id
UNION
UNWIND $ids AS value
MATCH (chunk:QcgChunk {id: value})
RETURN 'id' AS kind, value, chunk.id AS id
