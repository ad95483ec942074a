// The others that have nearly the same name as some entities, by the vector index, scored exactly, the best first.
// $ids: LIST<STRING>  ids of the entities
// $similarity: FLOAT  the cosine above which two names are synonyms
// $neighbours: INTEGER  how many synonyms an entity brings at most
// $candidates: INTEGER  how many entities are taken from the vector index, to be scored exactly
// $mostCandidates: INTEGER  how many are taken where even the last of these is near enough
UNWIND $ids AS id
MATCH (entity:QcgEntity {id: id})
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
  WITH entity, other, other.id AS id, 2 * vector.similarity.cosine(vector, other.embedding) - 1 AS score
  WHERE other <> entity AND score > $similarity AND other.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*'
  ORDER BY score DESC, id
  LIMIT $neighbours
  RETURN collect({id: id, score: score}) AS nearest
}
RETURN entity.id AS id, nearest
