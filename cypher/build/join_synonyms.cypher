// One row: entities were joined by SYNONYM_OF with entities of nearly the same name.
// $found: LIST<MAP>  id, and nearest: id and score of the others
// $cursor: STRING  the id up to which an interrupted search need not join again
UNWIND $found AS entry
UNWIND entry.nearest AS near
WITH CASE WHEN entry.id < near.id THEN [entry.id, near.id] ELSE [near.id, entry.id] END AS pair, near.score AS score
MATCH (one:QcgEntity {id: pair[0]}), (other:QcgEntity {id: pair[1]})
MERGE (one)-[synonym:SYNONYM_OF]->(other)
SET synonym.score = score
WITH count(synonym) AS relationships
OPTIONAL MATCH (stage:QcgStage {name: 'synonyms'})
SET stage.cursor = $cursor
RETURN relationships
