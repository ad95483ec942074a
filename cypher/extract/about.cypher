// No rows; says how much chunks are about the entities that they state: what they say of each, beside the one they say most of; where no model has read them, their title alone.
// $chunkIds: LIST<STRING>  ids of chunks
// $entityIds: LIST<STRING>  ids of entities whose chunks are meant as well
CALL () {
  UNWIND $chunkIds AS id
  MATCH (chunk:QcgChunk {id: id})
  RETURN chunk
  UNION
  UNWIND $entityIds AS id
  MATCH (:QcgEntity {id: id})-[:FROM_CHUNK]->(chunk:QcgChunk)
  RETURN chunk
}
CALL (chunk) {
  CALL (chunk) {
    WITH chunk WHERE chunk.namesOnly IS NULL
    MATCH (source)-[relation:RELATED_TO {chunkId: chunk.id}]->(target)
    UNWIND [[source, 10], [target, 3]] AS said
    RETURN said[0] AS entity, said[1] AS tenths
    UNION ALL
    WITH chunk WHERE chunk.namesOnly IS NULL
    MATCH (chunk)<-[:FROM_CHUNK]-(atom:QcgAtom)-[:MENTIONS {chunkId: chunk.id}]->(entity:QcgEntity)
    WITH DISTINCT atom, entity
    RETURN entity, 3 AS tenths
    UNION ALL
    WITH chunk WHERE chunk.namesOnly
    MATCH (chunk)-[:FROM_DOCUMENT]->(document)
    MATCH (entity:QcgEntity)-[said:FROM_CHUNK]->(chunk)
    WHERE said.name IN [title IN [document.title, split(document.title, '(')[0]] | trim(title)]
    RETURN entity, 10 AS tenths
  }
  WITH entity, sum(tenths) AS tenths
  RETURN collect({entity: entity, tenths: tenths}) AS said, max(tenths) AS most
}
MATCH (entity:QcgEntity)-[statement:FROM_CHUNK]->(chunk)
WITH statement, 1.0 * coalesce(head([one IN said WHERE one.entity = entity | one.tenths]), 0) / coalesce(most, 1) AS about
// What is only named counts a little.
WITH statement, CASE WHEN about < 0.1 THEN 0.1 ELSE about END AS about
WHERE statement.about IS NULL OR statement.about <> about
SET statement.about = about
