// How well the vector indexes find: for each index and number of candidates, the share of the ten nearest entries that are among them, for some of the graph's own questions.
// $sample: INTEGER  how many queries ask (chunks where there is no query); ids are hashes, so the first ones are a random sample
// $candidates: LIST<INTEGER>  how many entries an index is asked for
CALL () {
  MATCH (asked:QcgQuery) WHERE asked.id > '' AND asked.embedding IS NOT NULL
  RETURN asked ORDER BY asked.id LIMIT $sample
  UNION ALL
  MATCH (asked:QcgChunk) WHERE asked.id > '' AND asked.embedding IS NOT NULL AND NOT EXISTS { (:QcgQuery) }
  RETURN asked ORDER BY asked.id LIMIT $sample
}
WITH asked.id AS id, asked.embedding AS vector
UNWIND ['Query', 'Chunk', 'Window', 'Atom', 'Entity', 'RELATED_TO'] AS kind
UNWIND $candidates AS candidates
CALL (id, vector, kind, candidates) {
  UNWIND CASE kind WHEN 'Query' THEN ['qcg_query_embedding'] WHEN 'Chunk' THEN ['qcg_chunk_embedding'] WHEN 'Window' THEN ['qcg_window_embedding']
    WHEN 'Atom' THEN ['qcg_atom_embedding'] WHEN 'Entity' THEN ['qcg_entity_embedding'] END AS index
  CALL db.index.vector.queryNodes(index, candidates, vector) YIELD node AS hit
  WITH hit WHERE hit.id <> id
  RETURN 2 * vector.similarity.cosine(hit.embedding, vector) - 1 AS score ORDER BY score DESC LIMIT 10
  UNION ALL
  WITH vector, candidates WHERE kind = 'RELATED_TO'
  CALL db.index.vector.queryRelationships('qcg_related_to_embedding', candidates, vector) YIELD relationship AS hit
  RETURN 2 * vector.similarity.cosine(hit.embedding, vector) - 1 AS score ORDER BY score DESC LIMIT 10
}
WITH id, vector, kind, candidates, collect(score) AS scores WHERE scores <> []
WITH id, vector, kind, collect({candidates: candidates, scores: scores}) AS found, max(scores[-1]) AS least
WITH collect({id: id, vector: vector, kind: kind, found: found, least: least}) AS samples
CALL (samples) {
  // One scan for all samples, since reading an embedding costs more than comparing it.
  MATCH (entry:QcgQuery|QcgChunk|QcgWindow|QcgAtom|QcgEntity)
  WITH samples, entry.id AS entryId, entry.embedding AS vector, CASE WHEN entry:QcgQuery THEN 'Query' WHEN entry:QcgChunk THEN 'Chunk'
    WHEN entry:QcgWindow THEN 'Window' WHEN entry:QcgAtom THEN 'Atom' ELSE 'Entity' END AS kind
  UNWIND [item IN samples WHERE item.kind = kind] AS item
  WITH item, entryId, 2 * vector.similarity.cosine(item.vector, vector) - 1 AS score
  WHERE score > item.least - 1e-6 AND entryId <> item.id
  RETURN item.id AS id, item.kind AS kind, score
  UNION ALL
  MATCH (:QcgEntity)-[entry:RELATED_TO]->()
  WITH samples, entry.embedding AS vector
  UNWIND [item IN samples WHERE item.kind = 'RELATED_TO'] AS item
  WITH item, 2 * vector.similarity.cosine(item.vector, vector) - 1 AS score WHERE score > item.least - 1e-6
  RETURN item.id AS id, item.kind AS kind, score
}
WITH samples, id, kind, score ORDER BY score DESC
WITH samples, id, kind, collect(score)[..10] AS nearest
UNWIND [item IN samples WHERE item.id = id AND item.kind = kind] AS item
UNWIND item.found AS one
// What is as near as the tenth counts as one of the ten.
WITH kind, one.candidates AS candidates, size(nearest) AS wanted, size([score IN one.scores WHERE score > nearest[-1] - 1e-6]) AS found
RETURN kind, candidates, toFloat(sum(found)) / sum(wanted) AS recall ORDER BY kind, candidates
