// How well the vector indexes find: for each index the share of the ten nearest entries that are among its candidates, its standard error, and how near the tenth is each time.
// $sample: INTEGER  how many times is asked, each time half-way between two queries (chunks where there is no query); ids are hashes, so the first ones are a random sample
// $candidates: INTEGER  how many entries an index is asked for
// $kinds: LIST<STRING>  the kinds whose indexes are asked
// $tenths: LIST<MAP>  their tenths of an earlier run; empty to compare all entries
CALL () {
  MATCH (asked:QcgQuery) WHERE asked.id > '' AND asked.embedding IS NOT NULL
  RETURN asked ORDER BY asked.id LIMIT $sample
  UNION ALL
  MATCH (asked:QcgChunk) WHERE asked.id > '' AND asked.embedding IS NOT NULL AND NOT EXISTS { (:QcgQuery) }
  RETURN asked ORDER BY asked.id LIMIT $sample
}
WITH collect(asked.embedding) AS asked
UNWIND range(0, size(asked) - 1) AS first
WITH asked, first, (first + 1) % size(asked) AS second
WITH asked, first, second, sqrt(4 * vector.similarity.cosine(asked[first], asked[second])) AS length WHERE length > 0.1
// An index finds more around what it holds than around a question, which is about as far from all as the middle of two queries.
WITH asked, first, second, length, [place IN range(0, size(asked[0]) - 1) | asked[first][place] / sqrt(reduce(square = 0.0, x IN asked[first] | square + x ^ 2))
  + asked[second][place] / sqrt(reduce(square = 0.0, x IN asked[second] | square + x ^ 2))] AS vector
UNWIND $kinds AS kind
CALL (vector, kind) {
  UNWIND CASE kind WHEN 'Query' THEN ['qcg_query_embedding'] WHEN 'Chunk' THEN ['qcg_chunk_embedding'] WHEN 'Window' THEN ['qcg_window_embedding']
    WHEN 'Atom' THEN ['qcg_atom_embedding'] WHEN 'Entity' THEN ['qcg_entity_embedding'] END AS index
  CALL db.index.vector.queryNodes(index, $candidates, vector) YIELD node AS hit
  RETURN 2 * vector.similarity.cosine(hit.embedding, vector) - 1 AS score ORDER BY score DESC LIMIT 10
  UNION ALL
  WITH vector WHERE kind = 'RELATED_TO'
  CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, vector) YIELD relationship AS hit
  RETURN 2 * vector.similarity.cosine(hit.embedding, vector) - 1 AS score ORDER BY score DESC LIMIT 10
}
WITH asked, first, second, length, kind, collect(score) AS scores WHERE scores <> []
WITH asked, collect({first: first, second: second, length: length, kind: kind, scores: scores}) AS samples
CALL (asked, samples) {
  // One scan for all samples, since reading an embedding costs more than comparing it.
  WITH asked, samples WHERE $tenths = []
  CALL () {
    MATCH (entry:QcgQuery|QcgChunk|QcgWindow|QcgAtom|QcgEntity)
    RETURN entry.embedding AS vector, CASE WHEN entry:QcgQuery THEN 'Query' WHEN entry:QcgChunk THEN 'Chunk'
      WHEN entry:QcgWindow THEN 'Window' WHEN entry:QcgAtom THEN 'Atom' ELSE 'Entity' END AS kind
    UNION ALL
    MATCH (:QcgEntity)-[entry:RELATED_TO]->()
    RETURN entry.embedding AS vector, 'RELATED_TO' AS kind
  }
  WITH samples, kind, [one IN asked | 2 * vector.similarity.cosine(one, vector) - 1] AS scores
  UNWIND [item IN samples WHERE item.kind = kind] AS item
  // The tenth is at least as near as the last of ten that the index found.
  WITH item, (scores[item.first] + scores[item.second]) / item.length AS score WHERE size(item.scores) < 10 OR score > item.scores[-1] - 1e-6
  WITH item, score ORDER BY score DESC
  WITH item, collect(score)[..10] AS nearest
  RETURN item.kind AS kind, item.first AS first, nearest[-1] AS score, size(nearest) AS place
  UNION ALL
  WITH asked UNWIND $tenths AS one
  RETURN one.kind AS kind, one.first AS first, one.score AS score, one.place AS place
}
UNWIND [item IN samples WHERE item.kind = kind AND item.first = first] AS item
// What is as near as the tenth counts as one of the ten.
WITH {kind: kind, first: first, score: score, place: place} AS tenth, toFloat(size([one IN item.scores WHERE one > score - 1e-6])) / place AS share
RETURN tenth.kind AS kind, avg(share) AS recall, stDev(share) / sqrt(count(share)) AS error, collect(tenth) AS tenths ORDER BY kind
