// The best chunks by all layers of the graph together (best query, window, atom, triple, BM25), each standardized over the candidates, with what each adds.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many entries are taken from each vector index, to be scored exactly
// $layerCandidates: INTEGER  how many chunks each layer proposes
// $queryWeight: FLOAT  weight of the best query's standardized score; 0 leaves the layer out
// $windowWeight: FLOAT  weight of the best window's
// $atomWeight: FLOAT  weight of the best atom's
// $tripleWeight: FLOAT  weight of the best triple's
// $fulltextWeight: FLOAT  weight of BM25's
// $passages: INTEGER  how many chunks are returned (K)
WITH reduce(words = toLower($question), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ #', ' ') |
       replace(words, sign, ' ')) AS words
WITH reduce(terms = '', word IN [word IN split(words, ' ') WHERE word <> ''][..1000] | terms + ' ' + word) AS terms,
     {Query: $queryWeight, Window: $windowWeight, Atom: $atomWeight, RELATED_TO: $tripleWeight, Chunk: $fulltextWeight}
       AS weights
CALL (terms, weights) {
  UNWIND [['Query', 'query_embedding'], ['Atom', 'atom_embedding'], ['Window', 'window_embedding'],
          ['Window', 'chunk_embedding']] AS layer
  WITH layer WHERE weights[layer[0]] > 0
  CALL (layer) {
    CALL db.index.vector.queryNodes(layer[1], $candidates, $questionVector) YIELD node
    WHERE node:!Chunk OR NOT EXISTS { (node)<-[:FROM_CHUNK]-(:Window) }
    OPTIONAL MATCH (node)-[:FROM_CHUNK]->(holder:Chunk)
    WITH coalesce(holder, node) AS chunk, max(vector.similarity.cosine(node.embedding, $questionVector)) AS score
    ORDER BY score DESC, chunk.id LIMIT $layerCandidates
    RETURN chunk
  }
  RETURN chunk
  UNION
  WITH weights WHERE weights.RELATED_TO > 0
  CALL db.index.vector.queryRelationships('related_to_embedding', $candidates, $questionVector) YIELD relationship
  WITH relationship.chunkId AS id, max(vector.similarity.cosine(relationship.embedding, $questionVector)) AS score
  ORDER BY score DESC, id LIMIT $layerCandidates
  MATCH (chunk:Chunk {id: id})
  RETURN chunk
  UNION
  WITH terms, weights WHERE terms <> '' AND weights.Chunk > 0
  CALL db.index.fulltext.queryNodes('chunk_text', 'text:(' + terms + ')', {limit: $layerCandidates}) YIELD node AS chunk
  RETURN chunk
}
WITH terms, weights, collect(chunk) AS chunks
CALL (terms, chunks) {
  UNWIND chunks AS chunk
  MATCH (chunk)<-[:FROM_CHUNK]-(hit:Query|Atom|Window)
  RETURN chunk, labels(hit)[0] AS layer, hit, 2 * vector.similarity.cosine(hit.embedding, $questionVector) - 1 AS score
  UNION ALL
  UNWIND chunks AS chunk
  WITH chunk, chunk AS hit WHERE NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:Window) }
  RETURN chunk, 'Window' AS layer, hit, 2 * vector.similarity.cosine(hit.embedding, $questionVector) - 1 AS score
  UNION ALL
  UNWIND chunks AS chunk MATCH ()-[hit:RELATED_TO {chunkId: chunk.id}]->()
  RETURN chunk, type(hit) AS layer, hit, 2 * vector.similarity.cosine(hit.embedding, $questionVector) - 1 AS score
  UNION ALL
  // BM25 of just these chunks: their ids restrict the search and add nothing to the score.
  WITH reduce(ids = '', chunk IN chunks | ids + ' ' + chunk.id) AS ids WHERE terms <> '' AND ids <> ''
  CALL db.index.fulltext.queryNodes('chunk_text', '+text:(' + terms + ') +id:(' + ids + ')^0') YIELD node AS chunk, score
  RETURN chunk, 'Chunk' AS layer, chunk AS hit, score
}
WITH weights, chunks, chunk, layer, hit, score ORDER BY score DESC, hit.id
WITH weights, chunks, chunk, layer, head(collect({hit: hit, score: score})) AS best
WHERE weights[layer] > 0
WITH weights, chunks, layer, collect({chunk: chunk, hit: best.hit, score: best.score}) AS held, min(best.score) AS least
// A chunk without anything in a layer counts as the layer's worst candidate; without a common word, BM25 is 0.
WITH weights, layer, [entry IN held | entry.chunk] AS holders, held, chunks, CASE layer WHEN 'Chunk' THEN 0.0 ELSE least END AS least
UNWIND held + [chunk IN chunks WHERE NOT chunk IN holders | {chunk: chunk, hit: null, score: least}] AS entry
WITH weights, layer, collect(entry) AS entries, avg(entry.score) AS mean, stDevP(entry.score) AS spread
UNWIND entries AS entry
WITH entry.chunk AS chunk, layer, entry.hit AS hit, entry.score AS similarity,
     CASE spread WHEN 0 THEN 0.0 ELSE weights[layer] * (entry.score - mean) / spread END AS share ORDER BY share DESC
WITH chunk, sum(share) AS score, collect({layer: layer, hit: hit, similarity: similarity, share: share}) AS parts
ORDER BY score DESC, chunk.id LIMIT $passages
MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, score,
       [part IN parts WHERE part.hit IS NOT NULL | [{
         label: part.layer, id: part.hit.id, relationship: 'HIT', similarity: part.similarity, weight: part.share,
         text: coalesce(part.hit.ttr, CASE part.layer WHEN 'Chunk' THEN $question WHEN 'Window' THEN
           substring(chunk.text, coalesce(part.hit.start, 0), coalesce(part.hit.end, size(chunk.text)) - coalesce(part.hit.start, 0))
           ELSE part.hit.text END)
       }]] AS paths
ORDER BY score DESC, id
