// How well the vector indexes find: for each index and number of candidates, the share of the ten nearest entries that are among them, and its standard error.
// $sample: INTEGER  how many times is asked, each time half-way between two queries (chunks where there is no query); ids are hashes, so the first ones are a random sample
// $candidates: LIST<INTEGER>  how many entries an index is asked for
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
UNWIND ['Query', 'Chunk', 'Window', 'Atom', 'Entity', 'RELATED_TO'] AS kind
UNWIND $candidates AS candidates
CALL (vector, kind, candidates) {
  UNWIND CASE kind WHEN 'Query' THEN ['qcg_query_embedding'] WHEN 'Chunk' THEN ['qcg_chunk_embedding'] WHEN 'Window' THEN ['qcg_window_embedding']
    WHEN 'Atom' THEN ['qcg_atom_embedding'] WHEN 'Entity' THEN ['qcg_entity_embedding'] END AS index
  CALL db.index.vector.queryNodes(index, candidates, vector) YIELD node AS hit
  RETURN 2 * vector.similarity.cosine(hit.embedding, vector) - 1 AS score ORDER BY score DESC LIMIT 10
  UNION ALL
  WITH vector, candidates WHERE kind = 'RELATED_TO'
  CALL db.index.vector.queryRelationships('qcg_related_to_embedding', candidates, vector) YIELD relationship AS hit
  RETURN 2 * vector.similarity.cosine(hit.embedding, vector) - 1 AS score ORDER BY score DESC LIMIT 10
}
WITH asked, first, second, length, kind, candidates, collect(score) AS scores WHERE scores <> []
WITH asked, first, second, length, kind, collect({candidates: candidates, scores: scores}) AS found, max(scores[-1]) AS least
WITH asked, collect({first: first, second: second, length: length, kind: kind, found: found, least: least}) AS samples
CALL () {
  // One scan for all samples, since reading an embedding costs more than comparing it.
  MATCH (entry:QcgQuery|QcgChunk|QcgWindow|QcgAtom|QcgEntity)
  RETURN entry.embedding AS vector, CASE WHEN entry:QcgQuery THEN 'Query' WHEN entry:QcgChunk THEN 'Chunk'
    WHEN entry:QcgWindow THEN 'Window' WHEN entry:QcgAtom THEN 'Atom' ELSE 'Entity' END AS kind
  UNION ALL
  MATCH (:QcgEntity)-[entry:RELATED_TO]->()
  RETURN entry.embedding AS vector, 'RELATED_TO' AS kind
}
WITH samples, kind, [one IN asked | 2 * vector.similarity.cosine(one, vector) - 1] AS scores
UNWIND [item IN samples WHERE item.kind = kind] AS item
WITH item, (scores[item.first] + scores[item.second]) / item.length AS score WHERE score > item.least - 1e-6
WITH item, score ORDER BY score DESC
WITH item, collect(score)[..10] AS nearest
UNWIND item.found AS one
// What is as near as the tenth counts as one of the ten.
WITH item.kind AS kind, one.candidates AS candidates,
  toFloat(size([score IN one.scores WHERE score > nearest[-1] - 1e-6])) / size(nearest) AS share
RETURN kind, candidates, avg(share) AS recall, stDev(share) / sqrt(count(share)) AS error ORDER BY kind, candidates
