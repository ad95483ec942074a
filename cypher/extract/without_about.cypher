// A page of chunks of an older graph, which does not say how much they are about their entities, or how those are spelled.
// $after: STRING  the id behind which the page begins; empty for the first
// $limit: INTEGER  how many chunks at most
MATCH (chunk:QcgChunk)
WHERE chunk.id > $after AND EXISTS {
  (chunk)<-[statement:FROM_CHUNK]-(entity:QcgEntity)
  WHERE statement.about IS NULL OR entity.spelling IS NULL
    OR EXISTS { (alias:QcgAlias)-[:ALIAS_OF]->(entity) WHERE alias.spelling IS NULL }
}
WITH chunk ORDER BY chunk.id LIMIT $limit
RETURN chunk.id AS id, COLLECT { MATCH (chunk)<-[:FROM_CHUNK]-(entity:QcgEntity) RETURN DISTINCT entity.id } AS entities
ORDER BY id
