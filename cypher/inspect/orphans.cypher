// Nodes that nothing leads to or from where something could: a row each, with what it lacks.
// $limit: INTEGER  how many of each kind
CALL () {
  MATCH (query:QcgQuery)
  WHERE NOT EXISTS { (query)<-[:SIMILAR_TO]-(:QcgQuery) }
  RETURN query AS node, query.question AS text, 'nearest to no other query' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (entity:QcgEntity)
  WHERE NOT EXISTS { (entity)-[:RELATED_TO]-() }
  RETURN entity AS node, entity.name AS text, 'related to no other entity' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (entity:QcgEntity)
  WHERE NOT EXISTS { (entity)<-[:MENTIONS]-(:QcgAtom) }
  RETURN entity AS node, entity.name AS text, 'mentioned by no atom' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (atom:QcgAtom)
  WHERE NOT EXISTS { (atom)-[:MENTIONS]->(:QcgEntity) }
  RETURN atom AS node, atom.text AS text, 'mentions no entity' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (node:QcgWindow|QcgQuery|QcgEntity|QcgAtom|QcgClaim)
  WHERE NOT EXISTS { (node)-[:FROM_CHUNK]->(:QcgChunk) }
  RETURN node, coalesce(node.text, node.name, node.id) AS text, 'from no chunk' AS lacks
  ORDER BY text LIMIT $limit
  UNION ALL
  MATCH (chunk:QcgChunk)
  WHERE NOT EXISTS { (chunk)-[:FROM_DOCUMENT]->(:QcgDocument) }
  RETURN chunk AS node, left(chunk.text, 200) AS text, 'from no document' AS lacks
  ORDER BY text LIMIT $limit
}
RETURN substring(head([label IN labels(node) WHERE label STARTS WITH 'Qcg']), 3) AS label, lacks, text, node.id AS id
