// The best chunks by best window and best triple together, each standardized over the candidates of both.
// $found: LIST<MAP>  rows of retrieve/near: layer (Window or RELATED_TO), chunk and score
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length, for the triples
// $windowVector: LIST<FLOAT>  the vector for the windows: the question's, or one fused with a context
// $layerCandidates: INTEGER  how many chunks each of the two layers proposes
// $vectorWeight: FLOAT  weight of the best window's standardized score
// $tripleWeight: FLOAT  weight of the best triple's standardized score
// $passages: INTEGER  how many chunks are returned (K)
UNWIND $found AS found WITH found.layer AS layer, found.chunk AS chunk, found.score AS score
WITH layer, chunk, max(score) AS score ORDER BY score DESC, chunk.id
WITH layer, collect(chunk)[..$layerCandidates] AS near
UNWIND near AS chunk
WITH DISTINCT chunk
CALL (chunk) {
  OPTIONAL MATCH (chunk)<-[:FROM_CHUNK]-(part:QcgWindow)
  WITH coalesce(part, chunk) AS part
  RETURN max(2 * vector.similarity.cosine(part.embedding, $windowVector) - 1) AS window
}
WITH chunk, window WHERE window IS NOT NULL
CALL (chunk) {
  OPTIONAL MATCH ()-[triple:RELATED_TO {chunkId: chunk.id}]->()
  WITH triple, 2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1 AS similarity
  ORDER BY similarity IS NULL, similarity DESC, triple.id LIMIT 1
  RETURN triple, similarity
}
WITH collect({chunk: chunk, window: window, triple: triple, similarity: similarity}) AS found, min(similarity) AS least
// A chunk without a triple counts as the worst of the ones that have one.
UNWIND found AS item
WITH item, coalesce(item.similarity, least, 0.0) AS similarity
WITH collect({item: item, similarity: similarity}) AS found, avg(item.window) AS windowMean,
     stDevP(item.window) AS windowSpread, avg(similarity) AS tripleMean, stDevP(similarity) AS tripleSpread
UNWIND found AS entry
WITH entry.item.chunk AS chunk, entry.item.triple AS triple, entry.item.similarity AS similarity,
     CASE windowSpread WHEN 0 THEN 0.0 ELSE $vectorWeight * (entry.item.window - windowMean) / windowSpread END
     + CASE tripleSpread WHEN 0 THEN 0.0 ELSE $tripleWeight * (entry.similarity - tripleMean) / tripleSpread END AS score
ORDER BY score DESC, chunk.id
LIMIT $passages
RETURN chunk.id AS id, score,
       CASE WHEN triple.id + triple.ttr IS NULL THEN [] ELSE [[{label: 'RELATED_TO', id: triple.id, text: triple.ttr,
         relationship: 'HIT', similarity: similarity, weight: null}]] END AS paths
