// One row: the share of the true nearest neighbours that SIMILAR_TO holds, by exact search for a sample of queries.
// $sample: INTEGER  how many queries are checked; ids are hashes, so the first ones are a random sample
// $neighbours: INTEGER  how many nearest neighbours each query has (k)
MATCH (query:QcgQuery)
WHERE query.id > ''
WITH query ORDER BY query.id LIMIT $sample
OPTIONAL MATCH (query)-[near:SIMILAR_TO]->(:QcgQuery)
WITH query, collect(near.score) AS stored, coalesce(min(near.score), -2.0) AS least
WITH collect({id: query.id, vector: query.embedding, stored: stored, least: least}) AS samples
CALL (samples) {
  // One scan for all samples, since reading an embedding costs more than comparing it.
  MATCH (other:QcgQuery)
  WITH samples, other.id AS id, other.embedding AS vector
  UNWIND samples AS item
  WITH item, id, 2 * vector.similarity.cosine(item.vector, vector) - 1 AS score
  WHERE score > item.least + 1e-6 AND id <> item.id
  RETURN collect({id: item.id, score: score}) AS nearer
}
WITH samples, nearer, COUNT { (:QcgQuery) } - 1 AS others
UNWIND samples AS item
WITH item.stored AS stored, [row IN nearer WHERE row.id = item.id | row.score] AS scores,
     CASE WHEN others < $neighbours THEN others ELSE $neighbours END AS wanted
// A stored neighbour is a true one when fewer than k others are nearer; equally near ones may replace each other.
WITH wanted, size([score IN stored WHERE size([better IN scores WHERE better > score + 1e-6]) < $neighbours]) AS found
RETURN count(*) AS sample, sum(wanted) AS wanted, sum(found) AS found,
       CASE sum(wanted) WHEN 0 THEN 1.0 ELSE toFloat(sum(found)) / sum(wanted) END AS recall
