// No rows; joins entities to each other, by a triple or as synonyms.
// $rows: LIST<MAP>  source, target and, for synonyms, score of each relationship
UNWIND $rows AS row
MATCH (source:QcgEntity {id: row.source})
MATCH (target:QcgEntity {id: row.target})
FOREACH (once IN CASE WHEN row.score IS NULL THEN [1] ELSE [] END | CREATE (source)-[:RELATED_TO]->(target))
FOREACH (score IN CASE WHEN row.score IS NULL THEN [] ELSE [row.score] END |
  CREATE (source)-[:SYNONYM_OF {score: score}]->(target))
