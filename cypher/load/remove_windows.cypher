// No rows; removes the windows of chunks that are embedded anew in another way.
// $rows: LIST<MAP>  chunk, windows (ids of those that stay)
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunk})<-[:FROM_CHUNK]-(window:QcgWindow)
WHERE NOT window.id IN row.windows
DETACH DELETE window
