// Nodes that nothing leads to or from where something could: a row each, with what it lacks.
// $limit: INTEGER  how many of each kind
CALL () {
  MATCH (query:Query)
  WHERE NOT EXISTS { (query)<-[:SIMILAR_TO]-(:Query) }
  RETURN query AS node, query.question AS text, 'nearest to no other query' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (entity:Entity)
  WHERE NOT EXISTS { (entity)-[:RELATED_TO]-() }
  RETURN entity AS node, entity.name AS text, 'related to no other entity' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (entity:Entity)
  WHERE NOT EXISTS { (entity)<-[:MENTIONS]-(:Atom) }
  RETURN entity AS node, entity.name AS text, 'mentioned by no atom' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (atom:Atom)
  WHERE NOT EXISTS { (atom)-[:MENTIONS]->(:Entity) }
  RETURN atom AS node, atom.text AS text, 'mentions no entity' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (node:Window|Query|Entity|Atom|Claim)
  WHERE NOT EXISTS { (node)-[:FROM_CHUNK]->(:Chunk) }
  RETURN node, coalesce(node.text, node.name, node.id) AS text, 'from no chunk' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (chunk:Chunk)
  WHERE NOT EXISTS { (chunk)-[:FROM_DOCUMENT]->(:Document) }
  RETURN chunk AS node, left(chunk.text, 200) AS text, 'from no document' AS lacks
  ORDER BY text LIMIT $limit
}
RETURN head(labels(node)) AS label, lacks, text, node.id AS id
