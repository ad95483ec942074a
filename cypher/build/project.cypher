// One row: a graph as GDS has it in memory: queries, entities, or atoms with the entities that they mention (AEG); relationships have a weight.
// $found: LIST<MAP>  rows of build/graph_relationships: source, target, type, weight
// $projection: STRING  its name
// $graph: STRING  'queries' (SIMILAR_TO, directed, weight: cosine), 'entities' (RELATED_TO), or 'atoms' (MENTIONS, RELATED_TO, SYNONYM_OF)
// $vectors: BOOLEAN  whether nodes have their embedding
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
UNWIND $found AS found WITH found.source AS source, found.target AS target, found.type AS type, found.weight AS weight
  RETURN source, null AS labels, target, type, weight
}
WITH gds.graph.project($projection, source, target, {
  sourceNodeLabels: labels, targetNodeLabels: null,
  sourceNodeProperties: CASE WHEN $vectors AND target IS NULL THEN source {.embedding} END, targetNodeProperties: null,
  relationshipType: type, relationshipProperties: CASE WHEN target IS NOT NULL THEN {weight: weight} END
}, {undirectedRelationshipTypes: CASE $graph WHEN 'queries' THEN [] ELSE ['*'] END}) AS projected
RETURN projected.graphName AS name, projected.nodeCount AS nodes, projected.relationshipCount AS relationships
