// One row per relationship of a graph: its ends, type and weight; an undirected one is one row.
// $graph: STRING  'queries', 'entities' or 'atoms'
// $edgeWeight: STRING  what a triple of 'entities' counts: 'strength', or 'duplicates' for 1, as each does for 'atoms'
// $synonyms: BOOLEAN  whether SYNONYM_OF counts for 'atoms'
CALL () {
  WITH * WHERE $graph = 'queries'
  MATCH (query:QcgQuery)-[near:SIMILAR_TO]->(other:QcgQuery)
  RETURN query AS source, other AS target, 'SIMILAR_TO' AS type, near.score AS weight
  UNION ALL
  WITH * WHERE $graph = 'atoms'
  MATCH (atom:QcgAtom)-[:MENTIONS]->(entity:QcgEntity)
  RETURN DISTINCT atom AS source, entity AS target, 'MENTIONS' AS type, 1.0 AS weight
  UNION ALL
  WITH * WHERE $graph IN ['entities', 'atoms']
  MATCH (one:QcgEntity)-[triple:RELATED_TO]->(other:QcgEntity)
  WHERE one <> other
  WITH CASE WHEN one.id < other.id THEN [one, other] ELSE [other, one] END AS pair,
       sum(CASE WHEN $graph = 'entities' AND $edgeWeight = 'strength' THEN triple.strength ELSE 1 END) AS weight
  RETURN pair[0] AS source, pair[1] AS target, 'RELATED_TO' AS type, toFloat(weight) AS weight
  UNION ALL
  WITH * WHERE $graph = 'atoms' AND $synonyms
  MATCH (one:QcgEntity)-[synonym:SYNONYM_OF]->(other:QcgEntity)
  WHERE one <> other
  RETURN one AS source, other AS target, 'SYNONYM_OF' AS type, synonym.score AS weight
}
RETURN source, target, type, weight
