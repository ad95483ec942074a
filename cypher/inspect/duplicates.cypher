// What is there twice or nearly so: equal chunks, queries that ask the same, names inside others.
// $similarity: FLOAT  the least cosine of queries that ask nearly the same, such as 0.95
// $limit: INTEGER  how many of each kind
CALL () {
  MATCH (chunk:QcgChunk)
  WITH chunk.text AS text, collect(chunk.id) AS ids, count(*) AS number
  WHERE number > 1
  RETURN 'equal chunks' AS kind, number AS measure, ids, left(text, 200) AS what
  ORDER BY measure DESC, what LIMIT $limit
  UNION ALL
  MATCH (one:QcgQuery)-[similar:SIMILAR_TO]->(other:QcgQuery)
  WHERE similar.score >= $similarity
    AND NOT EXISTS { (one)-[:FROM_CHUNK]->()<-[:FROM_CHUNK]-(other) }
    AND (one.id < other.id OR NOT EXISTS { (other)-[:SIMILAR_TO]->(one) })
  RETURN 'similar queries' AS kind, similar.score AS measure, [one.id, other.id] AS ids,
         one.question + ' | ' + other.question AS what
  ORDER BY measure DESC, what LIMIT $limit
  UNION ALL
  MATCH (one:QcgEntity)-[synonym:SYNONYM_OF]-(other:QcgEntity)
  WHERE one.id < other.id AND
    (toLower(one.name) CONTAINS toLower(other.name) OR toLower(other.name) CONTAINS toLower(one.name))
  RETURN 'names inside each other' AS kind, synonym.score AS measure, [one.id, other.id] AS ids,
         one.name + ' | ' + other.name AS what
  ORDER BY measure DESC, what LIMIT $limit
}
RETURN kind, measure, what, ids
