// The best chunks by best window and BM25 together, each standardized over the candidates of both, best first.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many windows and how many chunks are taken from the vector indexes, to be scored exactly
// $layerCandidates: INTEGER  how many chunks each of the two layers proposes
// $vectorWeight: FLOAT  weight of the best window's standardized score
// $fulltextWeight: FLOAT  weight of the standardized BM25 score
// $passages: INTEGER  how many chunks are returned (K)
WITH reduce(words = toLower($question), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ #', ' ') |
       replace(words, sign, ' ')) AS words
WITH reduce(terms = '', word IN [word IN split(words, ' ') WHERE word <> ''][..1000] | terms + ' ' + word) AS terms
CALL (terms) {
  CALL () {
    CALL db.index.vector.queryNodes('window_embedding', $candidates, $questionVector) YIELD node AS part
    MATCH (part)-[:FROM_CHUNK]->(chunk:Chunk)
    RETURN chunk, part
    UNION ALL
    CALL db.index.vector.queryNodes('chunk_embedding', $candidates, $questionVector) YIELD node AS chunk
    WHERE NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:Window) }
    RETURN chunk, chunk AS part
  }
  WITH chunk, max(vector.similarity.cosine(part.embedding, $questionVector)) AS score
  ORDER BY score DESC, chunk.id LIMIT $layerCandidates
  RETURN chunk
  UNION
  WITH terms WHERE terms <> ''
  CALL db.index.fulltext.queryNodes('chunk_text', 'text:(' + terms + ')', {limit: $layerCandidates}) YIELD node AS chunk
  RETURN chunk
}
WITH terms, collect(chunk) AS chunks
CALL (terms, chunks) {
  // BM25 of just these chunks: their ids restrict the search and add nothing to the score.
  WITH reduce(ids = '', chunk IN chunks | ids + ' ' + chunk.id) AS ids
  WHERE terms <> '' AND ids <> ''
  CALL db.index.fulltext.queryNodes('chunk_text', '+text:(' + terms + ') +id:(' + ids + ')^0') YIELD node AS chunk, score
  RETURN chunk, score AS bm25, null AS similarity
  UNION ALL
  UNWIND chunks AS chunk
  OPTIONAL MATCH (chunk)<-[:FROM_CHUNK]-(part:Window)
  WITH chunk, coalesce(part, chunk) AS part
  RETURN chunk, null AS bm25, max(2 * vector.similarity.cosine(part.embedding, $questionVector) - 1) AS similarity
}
WITH chunk, coalesce(max(bm25), 0.0) AS bm25, max(similarity) AS similarity
WITH collect({chunk: chunk, bm25: bm25, similarity: similarity}) AS found,
     avg(bm25) AS bm25Mean, stDevP(bm25) AS bm25Spread,
     avg(similarity) AS similarityMean, stDevP(similarity) AS similaritySpread
UNWIND found AS item
WITH item.chunk AS chunk, item.similarity AS similarity, item.bm25 AS bm25,
     CASE similaritySpread WHEN 0 THEN 0.0 ELSE $vectorWeight * (item.similarity - similarityMean) / similaritySpread END
     + CASE bm25Spread WHEN 0 THEN 0.0 ELSE $fulltextWeight * (item.bm25 - bm25Mean) / bm25Spread END AS score
ORDER BY score DESC, chunk.id
LIMIT $passages
MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, score, [] AS paths
ORDER BY score DESC, id
