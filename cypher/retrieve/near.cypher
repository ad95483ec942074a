// What the vector indexes hold nearest to a question: the layer, the entry, the chunk that it is of, and the cosine.
// $vectors: MAP  of each layer that is asked the vector that its entries are compared with, of unit length: Query, Window, Atom or RELATED_TO, or a property of chunks: embedding, d2qAllEmbedding, d2qKeptEmbedding
// $candidates: INTEGER  how many entries are taken from each vector index; 0 for none
// $wanted: INTEGER  how many entries of each layer, or chunks by their windows, are wanted
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND keys($vectors) AS layer
CALL (layer) {
  CALL (layer) {
    UNWIND CASE WHEN $candidates > 0 THEN {Query: ['qcg_query_embedding'], Window: ['qcg_window_embedding', 'qcg_chunk_embedding'], Atom: ['qcg_atom_embedding'],
      embedding: ['qcg_chunk_embedding'], d2qAllEmbedding: ['qcg_chunk_d2q_all'], d2qKeptEmbedding: ['qcg_chunk_d2q_kept']}[layer] END AS index
    CALL db.index.vector.queryNodes(index, $candidates, $vectors[layer]) YIELD node AS hit, score
    WHERE layer <> 'Window' OR hit:QcgWindow OR NOT EXISTS { (hit)<-[:FROM_CHUNK]-(:QcgWindow) } // a chunk that fits the model is its own window
    OPTIONAL MATCH (hit)-[:FROM_CHUNK]->(holder:QcgChunk)
    RETURN hit, coalesce(holder, hit) AS chunk, score
    UNION ALL
    WITH layer WHERE layer = 'RELATED_TO'
    CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $vectors[layer]) YIELD relationship AS hit, score
    WHERE startNode(hit):QcgEntity
    MATCH (chunk:QcgChunk {id: hit.chunkId})
    RETURN hit, chunk, score
  }
  WITH hit, chunk, score, layer, $permitted IS NULL OR EXISTS {
    (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
  RETURN collect(CASE WHEN isPermitted THEN {hit: hit, chunk: chunk, score: score} END) AS near, count(*) AS seen,
         count(DISTINCT CASE WHEN isPermitted THEN CASE layer WHEN 'Window' THEN chunk ELSE hit END END) AS found
}
CALL (layer, near, seen, found) {
  UNWIND near AS one RETURN one.hit AS hit, one.chunk AS chunk, one.score AS score
  UNION ALL
  // Where a few long chunks fill all places, the index is asked for as many more as these have windows.
  UNWIND CASE WHEN layer = 'Window' AND $permitted IS NULL AND found < $wanted THEN ['qcg_window_embedding', 'qcg_chunk_embedding'] END AS index
  WITH layer, index, $candidates + COUNT { UNWIND near AS one WITH DISTINCT one.chunk AS chunk MATCH (chunk)<-[:FROM_CHUNK]-(part:QcgWindow) RETURN part } AS more
  CALL db.index.vector.queryNodes(index, more, $vectors[layer]) YIELD node AS hit, score
  WHERE hit:QcgWindow OR NOT EXISTS { (hit)<-[:FROM_CHUNK]-(:QcgWindow) }
  OPTIONAL MATCH (hit)-[:FROM_CHUNK]->(holder:QcgChunk)
  RETURN hit, coalesce(holder, hit) AS chunk, score
  UNION ALL
  // Where the index has more and brings too few that are permitted, all of these are looked at.
  UNWIND CASE WHEN found < 2 * $wanted AND 2 * seen >= $candidates THEN $permitted END AS id
  MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
  CALL (layer, chunk) {
    MATCH (chunk)<-[:FROM_CHUNK]-(hit:QcgQuery|QcgAtom|QcgWindow)
    WHERE CASE layer WHEN 'Query' THEN hit:QcgQuery WHEN 'Atom' THEN hit:QcgAtom WHEN 'Window' THEN hit:QcgWindow END
    RETURN hit
    UNION ALL
    WITH layer, chunk WHERE NOT layer IN ['Query', 'Atom', 'RELATED_TO'] AND (layer <> 'Window' OR NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgWindow) })
    RETURN chunk AS hit
    UNION ALL
    MATCH (:QcgEntity)-[hit:RELATED_TO {chunkId: chunk.id}]->() WHERE layer = 'RELATED_TO'
    RETURN hit
  }
  RETURN hit, chunk, vector.similarity.cosine(hit[CASE WHEN layer STARTS WITH 'd2q' THEN layer ELSE 'embedding' END], $vectors[layer]) AS score
}
WITH layer, hit, chunk, max(score) AS score
WHERE score IS NOT NULL AND hit.id IS NOT NULL // what was deleted meanwhile holds nothing
RETURN layer, hit, chunk, 2 * score - 1 AS score // the indexes are not quantized: their score is (1 + cosine) / 2
