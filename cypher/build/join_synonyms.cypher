// No rows; joins entities by SYNONYM_OF with entities of nearly the same name.
// $found: LIST<MAP>  id, and nearest: id and score of the others
// $cursor: STRING  the id up to which an interrupted search need not join again
UNWIND $found AS entry
MATCH (entity:QcgEntity {id: entry.id})
CALL (entity) { // those of its former name
  MATCH (entity)-[old:SYNONYM_OF]-(:QcgEntity) WHERE entity.joinedAs <> entity.name
  DELETE old
}
SET entity.joinedAs = entity.name
WITH entity, entry
CALL (entity, entry) {
  UNWIND entry.nearest AS near
  MATCH (other:QcgEntity {id: near.id})
  WITH CASE WHEN entry.id < near.id THEN [entity, other] ELSE [other, entity] END AS pair, near.score AS score
  WITH pair[0] AS one, pair[1] AS other, score
  MERGE (one)-[synonym:SYNONYM_OF]->(other)
  SET synonym.score = score
}
WITH count(*) AS entities
OPTIONAL MATCH (stage:QcgStage {name: 'synonyms'})
SET stage.cursor = $cursor
