// Shares of nodes that have what they could have, such as chunks with queries and entities in a community.
CALL () {
  MATCH (chunk:QcgChunk)
  WHERE NOT EXISTS { (chunk)-[:SAME_TEXT_AS]->() }
  UNWIND [
    ['chunks with an embedding', chunk.embedding IS NOT NULL],
    ['chunks with queries', EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgQuery) }],
    ['chunks with entities', EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgEntity) }],
    ['chunks with atoms', EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgAtom) }]
  ] AS fact
  RETURN 1 AS place, fact[0] AS what, fact[1] AS has
  UNION ALL
  MATCH (query:QcgQuery)
  RETURN 2 AS place, 'queries with neighbours' AS what, EXISTS { (query)-[:SIMILAR_TO]->(:QcgQuery) } AS has
  UNION ALL
  MATCH (entity:QcgEntity)
  UNWIND [
    ['entities in a community', EXISTS { (entity)-[:IN_COMMUNITY]->(:QcgCommunity) }],
    ['entities in a triple', EXISTS { (entity)-[:RELATED_TO]-(:QcgEntity) }],
    ['entities with a synonym', EXISTS { (entity)-[:SYNONYM_OF]-(:QcgEntity) }],
    ['entities that an atom mentions', EXISTS { (entity)<-[:MENTIONS]-(:QcgAtom) }]
  ] AS fact
  RETURN 3 AS place, fact[0] AS what, fact[1] AS has
  UNION ALL
  MATCH (atom:QcgAtom)
  RETURN 4 AS place, 'atoms that mention an entity' AS what, EXISTS { (atom)-[:MENTIONS]->(:QcgEntity) } AS has
  UNION ALL
  MATCH (community:QcgCommunity)
  RETURN 5 AS place, 'communities with a report' AS what, community.report IS NOT NULL AS has
}
WITH place, what, count(*) AS of, sum(CASE WHEN has THEN 1 ELSE 0 END) AS have
RETURN what, have, of, round(100.0 * have / of, 1) AS percent
ORDER BY place, what
