// One row: the projected atom-entity graph (AEG), undirected: a relationship per pair of nodes and type, with its weight.
// $projection: STRING  the name of the projected graph
// $synonyms: BOOLEAN  whether SYNONYM_OF counts
CALL () {
  MATCH (atom:QcgAtom)-[:MENTIONS]->(entity:QcgEntity)
  RETURN DISTINCT atom AS source, entity AS target, 'MENTIONS' AS type, 1.0 AS weight
  UNION ALL
  MATCH (one:QcgEntity)-[triple:RELATED_TO]->(other:QcgEntity)
  WHERE one <> other
  WITH CASE WHEN one.id < other.id THEN [one, other] ELSE [other, one] END AS pair, count(triple) AS triples
  RETURN pair[0] AS source, pair[1] AS target, 'RELATED_TO' AS type, toFloat(triples) AS weight
  UNION ALL
  MATCH (one:QcgEntity)-[synonym:SYNONYM_OF]->(other:QcgEntity)
  WHERE $synonyms AND one <> other
  RETURN one AS source, other AS target, 'SYNONYM_OF' AS type, synonym.score AS weight
  UNION ALL
  MATCH (alone:QcgAtom|QcgEntity)
  WHERE NOT EXISTS { (alone)-[:MENTIONS|RELATED_TO|SYNONYM_OF]-() }
  RETURN alone AS source, null AS target, 'NONE' AS type, 0.0 AS weight
}
WITH gds.graph.project($projection, source, target,
  {relationshipType: type, relationshipProperties: {weight: weight}}, {undirectedRelationshipTypes: ['*']}) AS projected
RETURN projected.graphName AS name, projected.nodeCount AS nodes, projected.relationshipCount AS relationships
