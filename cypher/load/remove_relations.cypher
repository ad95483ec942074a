// No rows; removes what chunks state about entities, before the chunks themselves go.
// $rows: LIST<MAP>  id of a chunk
UNWIND $rows AS row
MATCH (chunk:Chunk {id: row.id})<-[:FROM_CHUNK]-(:Entity)-[relation:RELATED_TO]-(:Entity)
WHERE relation.chunkId = chunk.id
WITH DISTINCT relation
DELETE relation
