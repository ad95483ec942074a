// The others that have nearly the same name as some entities, by the vector index, the best first.
// $ids: LIST<STRING>  ids of the entities
// $similarity: FLOAT  the cosine above which two names are synonyms
// $neighbours: INTEGER  how many synonyms an entity brings at most
// $candidates: INTEGER  how many entities are taken from the vector index
// $mostCandidates: INTEGER  how many are taken where even the last of these is near enough
UNWIND $ids AS id
MATCH (entity:QcgEntity {id: id})
CALL (entity) {
  WITH entity, entity.embedding AS vector
  WHERE entity.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*'
  CALL db.index.vector.queryNodes('qcg_entity_embedding', $candidates, vector) YIELD node AS other, score
  WITH entity, vector, collect({other: other, score: score}) AS nearest, 2 * min(score) - 1 > $similarity AS more
  CALL (vector, nearest, more) {
    UNWIND CASE WHEN more THEN [] ELSE nearest END AS one
    RETURN one.other AS other, one.score AS score
    UNION ALL
    UNWIND CASE WHEN more THEN [1] ELSE [] END AS once
    CALL db.index.vector.queryNodes('qcg_entity_embedding', $mostCandidates, vector) YIELD node AS other, score
    RETURN other, score
  }
  WITH entity, other, other.id AS id, 2 * score - 1 AS score
  WHERE other <> entity AND score > $similarity AND other.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*'
  ORDER BY score DESC, id
  LIMIT $neighbours
  RETURN collect({id: id, score: score}) AS nearest
}
RETURN entity.id AS id, nearest
