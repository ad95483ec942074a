// A row per kind of relationship of which there are several where one is meant: between which nodes, and how many are too many.
CALL () {
  MATCH (one:QcgQuery)
  CALL (one) {
    MATCH (one)-[edge:SIMILAR_TO]->(other:QcgQuery)
    WITH other, count(edge) AS number WHERE number > 1
    RETURN sum(number - 1) AS surplus
  }
  RETURN 'SIMILAR_TO of queries' AS kind, 'build' AS stage, sum(surplus) AS number
  UNION ALL
  MATCH (one:QcgAtom)
  CALL (one) {
    MATCH (one)-[edge:SIMILAR_TO]-(other:QcgAtom) WHERE one.id < other.id
    WITH other, count(edge) AS number WHERE number > 1
    RETURN sum(number - 1) AS surplus
  }
  RETURN 'SIMILAR_TO of atoms' AS kind, 'atoms' AS stage, sum(surplus) AS number
  UNION ALL
  MATCH (one:QcgEntity)
  CALL (one) {
    MATCH (one)-[edge:SYNONYM_OF]-(other:QcgEntity) WHERE one.id < other.id
    WITH other, count(edge) AS number WHERE number > 1
    RETURN sum(number - 1) AS surplus
  }
  RETURN 'SYNONYM_OF' AS kind, 'synonyms' AS stage, sum(surplus) AS number
  UNION ALL
  MATCH (one:QcgEntity)
  CALL (one) {
    MATCH (one)-[edge:IN_COMMUNITY]->(community:QcgCommunity)
    WITH community.level AS level, count(edge) AS number WHERE number > 1
    RETURN sum(number - 1) AS surplus
  }
  RETURN 'IN_COMMUNITY on a level' AS kind, 'communities' AS stage, sum(surplus) AS number
}
WITH kind, stage, number WHERE number > 0
RETURN kind, stage, number
