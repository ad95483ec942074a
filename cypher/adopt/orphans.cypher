// One row: how many things went, as the chunks that they were made from have been removed by others.
CALL () {
  MATCH (made:QcgWindow|QcgQuery|QcgAtom|QcgClaim)
  WHERE NOT EXISTS { (made)-[:FROM_CHUNK]->(:QcgChunk) }
  DETACH DELETE made
  RETURN count(*) AS number
  UNION ALL
  MATCH (:QcgEntity)-[relation:RELATED_TO]->(:QcgEntity)
  WHERE NOT EXISTS { (:QcgChunk {id: relation.chunkId}) }
  DELETE relation
  RETURN count(*) AS number
  UNION ALL
  MATCH (:QcgAtom)-[mention:MENTIONS]->(:QcgEntity)
  WHERE mention.chunkId IS NOT NULL AND NOT EXISTS { (:QcgChunk {id: mention.chunkId}) }
  DELETE mention
  RETURN count(*) AS number
  UNION ALL
  MATCH (synthetic:QcgSyntheticQuery)
  WHERE NOT EXISTS { (synthetic)-[:ANSWERED_BY]->(:QcgAtom) }
  DETACH DELETE synthetic
  RETURN count(*) AS number
  UNION ALL
  MATCH (entity:QcgEntity)
  WHERE NOT EXISTS { (entity)-[:FROM_CHUNK]->(:QcgChunk) }
  RETURN count(*) AS number
}
RETURN sum(number) AS number
