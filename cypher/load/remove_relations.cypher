// No rows; removes what chunks state about entities, before the chunks themselves go.
// $rows: LIST<MAP>  id of a chunk
UNWIND $rows AS row
MATCH ()-[relation:RELATED_TO {chunkId: row.id}]->()
DELETE relation
