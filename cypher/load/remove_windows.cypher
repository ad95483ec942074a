// No rows; removes the windows of chunks that are embedded again in another way.
// $rows: LIST<MAP>  chunk, windows (ids of the ones that stay)
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunk})<-[:FROM_CHUNK]-(window:QcgWindow)
WHERE NOT window.id IN row.windows
DETACH DELETE window
