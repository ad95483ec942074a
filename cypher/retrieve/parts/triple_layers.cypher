// The best chunks by best window and best triple together, each standardized over the candidates of both, best first.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length, for the triples
// $windowVector: LIST<FLOAT>  the vector for the windows: the question's, or one fused with a context
// $candidates: INTEGER  how many entries are taken from each vector index, to be scored exactly
// $layerCandidates: INTEGER  how many chunks each of the two layers proposes
// $vectorWeight: FLOAT  weight of the best window's standardized score
// $tripleWeight: FLOAT  weight of the best triple's standardized score
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
CALL () {
  CALL () {
    CALL () {
      CALL db.index.vector.queryNodes('qcg_window_embedding', $candidates, $windowVector) YIELD node AS part
      MATCH (part)-[:FROM_CHUNK]->(chunk:QcgChunk)
      RETURN chunk, part
      UNION ALL
      CALL db.index.vector.queryNodes('qcg_chunk_embedding', $candidates, $windowVector) YIELD node AS chunk
      WHERE NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgWindow) }
      RETURN chunk, chunk AS part
    }
    WITH chunk, part, $permitted IS NULL OR EXISTS {
      (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
    RETURN collect(CASE WHEN isPermitted THEN {chunk: chunk, part: part} END) AS near, count(*) AS seen,
           count(DISTINCT CASE WHEN isPermitted THEN chunk END) AS found
  }
  CALL (near, seen, found) {
    UNWIND near AS one RETURN one.chunk AS chunk, one.part AS part
    UNION
    // Where the indexes have more and bring too few that are permitted, all of these are looked at.
    UNWIND CASE WHEN found < 2 * $layerCandidates AND 2 * seen >= $candidates THEN $permitted END AS id
    MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
    OPTIONAL MATCH (chunk)<-[:FROM_CHUNK]-(window:QcgWindow)
    RETURN chunk, coalesce(window, chunk) AS part
  }
  WITH chunk, max(vector.similarity.cosine(part.embedding, $windowVector)) AS score
  WHERE score IS NOT NULL // what was deleted meanwhile holds nothing
  WITH chunk, score ORDER BY score DESC, chunk.id LIMIT $layerCandidates
  RETURN chunk
  UNION
  CALL () {
    CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector) YIELD relationship AS triple
    WHERE startNode(triple):QcgEntity
    WITH triple, $permitted IS NULL OR EXISTS {
      (:QcgChunk {id: triple.chunkId})<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
    RETURN collect(CASE WHEN isPermitted THEN triple END) AS near, count(*) AS seen
  }
  CALL (near, seen) {
    UNWIND near AS triple RETURN triple
    UNION
    // Where the index has more and brings too few that are permitted, all of these are looked at.
    UNWIND CASE WHEN size(near) < 2 * $layerCandidates AND 2 * seen >= $candidates THEN $permitted END AS id
    MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
    MATCH (start:QcgEntity)-[triple:RELATED_TO {chunkId: chunk.id}]->()
    RETURN triple
  }
  WITH triple.chunkId AS chunkId, max(vector.similarity.cosine(triple.embedding, $questionVector)) AS score
  WHERE score IS NOT NULL
  WITH * ORDER BY score DESC, chunkId LIMIT $layerCandidates
  MATCH (chunk:QcgChunk {id: chunkId})
  RETURN chunk
}
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
// A chunk without a triple counts as the worst of those that have one.
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
ORDER BY score DESC, id
