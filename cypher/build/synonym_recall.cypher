// One row: the share of the true synonyms that SYNONYM_OF holds, by exact search for a sample of entities.
// $sample: INTEGER  how many entities are checked; ids are hashes, so the first ones are a random sample
// $similarity: FLOAT  the cosine above which two names are synonyms
// $neighbours: INTEGER  how many synonyms an entity brings at most
MATCH (entity:QcgEntity)
WHERE entity.id > '' AND entity.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*'
WITH entity ORDER BY entity.id LIMIT $sample
WITH collect({id: entity.id, vector: entity.embedding}) AS samples
CALL (samples) {
  // One scan for all samples, since reading an embedding costs more than comparing it.
  MATCH (other:QcgEntity)
  WHERE other.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*'
  WITH samples, other.id AS id, other.embedding AS vector
  UNWIND samples AS item
  WITH item.id AS one, id AS other, 2 * vector.similarity.cosine(item.vector, vector) - 1 AS score
  WHERE score > $similarity + 1e-6 AND one <> other
  ORDER BY score DESC, other
  WITH one, collect({other: other, score: score}) AS near
  WITH one, near, near[..$neighbours] AS nearest
  // Where more are as near as the last one, any of them will do.
  WITH one, size(nearest) AS places, [item IN near WHERE item.score > nearest[-1].score - 1e-6 | item.other] AS others
  WITH places, COUNT { MATCH (:QcgEntity {id: one})-[:SYNONYM_OF]-(other:QcgEntity) WHERE other.id IN others } AS held
  RETURN sum(places) AS wanted, sum(CASE WHEN held < places THEN held ELSE places END) AS found
}
RETURN size(samples) AS sample, wanted, found,
       CASE wanted WHEN 0 THEN 1.0 ELSE toFloat(found) / wanted END AS recall
