// One row: a slice of the entities was joined by SYNONYM_OF with the others that have nearly the same name.
// $after: STRING  the id that the slice begins behind; '' for the first
// $slice: INTEGER  how many entities the slice has
// $similarity: FLOAT  the cosine above which two names are synonyms
// $neighbours: INTEGER  how many synonyms an entity brings at most
// $candidates: INTEGER  how many entities are taken from the vector index, to be scored exactly
// $mostCandidates: INTEGER  how many are taken where even the last of these is near enough
MATCH (entity:QcgEntity)
WHERE entity.id > $after
WITH entity ORDER BY entity.id LIMIT $slice
CALL (entity) {
  WITH entity, entity.embedding AS vector
  WHERE entity.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*'
  CALL db.index.vector.queryNodes('qcg_entity_embedding', $candidates, vector) YIELD node, score
  WITH entity, vector, collect(node) AS nearest, min(score) AS least
  // The index's own scores are not exact, hence the margin.
  WITH entity, vector, nearest, 2 * least - 1 > $similarity - 0.02 AS more
  CALL (vector, nearest, more) {
    UNWIND CASE WHEN more THEN [] ELSE nearest END AS other
    RETURN other
    UNION ALL
    UNWIND CASE WHEN more THEN [1] ELSE [] END AS once
    CALL db.index.vector.queryNodes('qcg_entity_embedding', $mostCandidates, vector) YIELD node AS other
    RETURN other
  }
  WITH entity, other, 2 * vector.similarity.cosine(vector, other.embedding) - 1 AS score
  WHERE other <> entity AND score > $similarity AND other.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*'
  ORDER BY score DESC, other.id
  LIMIT $neighbours
  WITH CASE WHEN entity.id < other.id THEN [entity, other] ELSE [other, entity] END AS pair, score
  WITH pair[0] AS one, pair[1] AS other, score
  MERGE (one)-[synonym:SYNONYM_OF]->(other)
  SET synonym.score = score
  RETURN count(synonym) AS made
}
WITH max(entity.id) AS last, count(entity) AS entities, sum(made) AS relationships
OPTIONAL MATCH (stage:QcgStage {name: 'synonyms'})
SET stage.cursor = coalesce(last, stage.cursor)
RETURN last, entities, relationships
