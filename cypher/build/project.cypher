// One row: a graph as GDS has it in memory: queries, entities, or atoms with the entities that they mention (AEG); relationships have a weight.
// $projection: STRING  its name
// $graph: STRING  'queries' (SIMILAR_TO, directed, weight: cosine), 'entities' (RELATED_TO), or 'atoms' (MENTIONS, RELATED_TO, SYNONYM_OF)
// $vectors: BOOLEAN  whether nodes have their embedding
// $edgeWeight: STRING  what a triple of 'entities' counts: 'strength', or 'duplicates' for 1, as each does for 'atoms'
// $synonyms: BOOLEAN  whether SYNONYM_OF counts for 'atoms'
CALL () {
  // Nodes first, for a projected node has the properties of the row that it came with.
  WITH * WHERE $graph = 'queries'
  MATCH (query:QcgQuery)
  RETURN query AS source, ['Query'] AS labels, null AS target, null AS type, null AS weight
  UNION ALL
  WITH * WHERE $graph IN ['entities', 'atoms']
  MATCH (entity:QcgEntity)
  // A name of three or fewer letters or digits has no synonyms.
  RETURN entity AS source,
         CASE WHEN entity.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*' THEN ['Entity', 'Named'] ELSE ['Entity'] END AS labels,
         null AS target, null AS type, null AS weight
  UNION ALL
  WITH * WHERE $graph = 'atoms'
  MATCH (atom:QcgAtom)
  RETURN atom AS source, ['Atom'] AS labels, null AS target, null AS type, null AS weight
  UNION ALL
  WITH * WHERE $graph = 'queries'
  MATCH (query:QcgQuery)-[near:SIMILAR_TO]->(other:QcgQuery)
  RETURN query AS source, null AS labels, other AS target, 'SIMILAR_TO' AS type, near.score AS weight
  UNION ALL
  WITH * WHERE $graph = 'atoms'
  MATCH (atom:QcgAtom)-[:MENTIONS]->(entity:QcgEntity)
  RETURN DISTINCT atom AS source, null AS labels, entity AS target, 'MENTIONS' AS type, 1.0 AS weight
  UNION ALL
  WITH * WHERE $graph IN ['entities', 'atoms']
  MATCH (one:QcgEntity)-[triple:RELATED_TO]->(other:QcgEntity)
  WHERE one <> other
  WITH CASE WHEN one.id < other.id THEN [one, other] ELSE [other, one] END AS pair,
       sum(CASE WHEN $graph = 'entities' AND $edgeWeight = 'strength' THEN triple.strength ELSE 1 END) AS weight
  RETURN pair[0] AS source, null AS labels, pair[1] AS target, 'RELATED_TO' AS type, toFloat(weight) AS weight
  UNION ALL
  WITH * WHERE $graph = 'atoms' AND $synonyms
  MATCH (one:QcgEntity)-[synonym:SYNONYM_OF]->(other:QcgEntity)
  WHERE one <> other
  RETURN one AS source, null AS labels, other AS target, 'SYNONYM_OF' AS type, synonym.score AS weight
}
WITH gds.graph.project($projection, source, target, {
  sourceNodeLabels: labels, targetNodeLabels: null,
  sourceNodeProperties: CASE WHEN $vectors AND target IS NULL THEN source {.embedding} END, targetNodeProperties: null,
  relationshipType: type, relationshipProperties: CASE WHEN target IS NOT NULL THEN {weight: weight} END
}, {undirectedRelationshipTypes: CASE $graph WHEN 'queries' THEN [] ELSE ['*'] END}) AS projected
RETURN projected.graphName AS name, projected.nodeCount AS nodes, projected.relationshipCount AS relationships
