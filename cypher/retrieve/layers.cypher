// The best chunks by all layers of the graph together: best query, window, atom, triple, BM25 of the text and of the text with all that was generated from it, and where the best ones lead, with what each adds.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many entries are taken from each vector index, to be scored exactly
// $layerCandidates: INTEGER  how many chunks each layer proposes
// $queryWeight: FLOAT  weight of the best query's cosine; 0 leaves the layer out
// $windowWeight: FLOAT  weight of the best window's
// $atomWeight: FLOAT  weight of the best atom's
// $tripleWeight: FLOAT  weight of the best triple's
// $fulltextWeight: FLOAT  weight of BM25, as a share of the best one
// $expandedWeight: FLOAT  weight of BM25 over the text with its queries, atoms and triples, as a share of the best one
// $walkWeight: FLOAT  weight of being reached over shared entities; 0 does not walk
// $walkSeeds: INTEGER  how many of the proposed chunks the walk begins at
// $walkChunks: INTEGER  how many chunks the walk proposes
// $maxEntityDegree: INTEGER  entities that more chunks name are not followed
// $passages: INTEGER  how many chunks are returned (K)
WITH reduce(words = toLower($question), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ # _ \' ’', ' ') |
       replace(words, sign, ' ')) AS words
WITH reduce(terms = '', word IN [word IN split(words, ' ') WHERE word <> ''][..1000] | terms + ' ' + word) AS terms,
     {Query: $queryWeight, Window: $windowWeight, Atom: $atomWeight, RELATED_TO: $tripleWeight, words: $fulltextWeight,
      expandedWords: $expandedWeight} AS weights
CALL (terms, weights) {
  UNWIND [['Query', 'qcg_query_embedding'], ['Atom', 'qcg_atom_embedding'], ['Window', 'qcg_window_embedding'],
          ['Window', 'qcg_chunk_embedding']] AS source
  WITH source WHERE weights[source[0]] > 0
  CALL (source) {
    CALL db.index.vector.queryNodes(source[1], $candidates, $questionVector) YIELD node
    WHERE node:!QcgChunk OR NOT EXISTS { (node)<-[:FROM_CHUNK]-(:QcgWindow) }
    OPTIONAL MATCH (node)-[:FROM_CHUNK]->(holder:QcgChunk)
    WITH coalesce(holder, node) AS chunk, 2 * max(vector.similarity.cosine(node.embedding, $questionVector)) - 1 AS score
    WHERE score IS NOT NULL
    WITH chunk, score ORDER BY score DESC, chunk.id LIMIT $layerCandidates
    RETURN chunk, score
  }
  RETURN source[0] AS layer, chunk, score
  UNION ALL
  WITH weights WHERE weights.RELATED_TO > 0
  CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector) YIELD relationship
  WHERE startNode(relationship):QcgEntity
  WITH relationship.chunkId AS id, 2 * max(vector.similarity.cosine(relationship.embedding, $questionVector)) - 1 AS score
  WHERE score IS NOT NULL
  WITH id, score ORDER BY score DESC, id LIMIT $layerCandidates
  MATCH (chunk:QcgChunk {id: id})
  RETURN 'RELATED_TO' AS layer, chunk, score
  UNION ALL
  UNWIND [['words', 'qcg_chunk_words'], ['expandedWords', 'qcg_chunk_expanded_words']] AS source
  WITH terms, source WHERE terms <> '' AND weights[source[0]] > 0
  CALL db.index.fulltext.queryNodes(source[1], source[0] + ':(' + terms + ')', {limit: $layerCandidates}) YIELD node, score
  RETURN source[0] AS layer, node AS chunk, score
}
// What a chunk promises is by how much it is ahead of the last proposal, summed over the layers.
WITH terms, weights, layer, collect({chunk: chunk, score: score}) AS proposed, max(score) AS most, min(score) AS least
WITH terms, weights, collect({layer: layer, proposed: proposed, least: least,
       unit: CASE WHEN layer IN ['words', 'expandedWords'] THEN most ELSE 1.0 END}) AS layers
CALL (weights, layers) {
  UNWIND layers AS held UNWIND held.proposed AS entry
  WITH entry.chunk AS chunk, sum(weights[held.layer] * (entry.score - held.least) / held.unit) AS promise
  ORDER BY promise DESC, chunk.id
  RETURN collect({chunk: chunk, promise: promise}) AS proposals
}
WITH terms, weights, layers, proposals,
     [seed IN CASE WHEN $walkWeight > 0 THEN proposals[..$walkSeeds] ELSE [] END |
       {chunk: seed.chunk, part: exp((seed.promise - proposals[0].promise) / 0.2)}] AS seeds
CALL (proposals, seeds) {
  // Half of the walk stays where it begins, half goes on over an entity to any chunk that names it.
  WITH seeds, reduce(sum = 0.0, seed IN seeds | sum + seed.part) AS whole
  UNWIND seeds AS seed
  CALL (seed, whole) {
    RETURN seed.chunk AS chunk, seed.part / whole / 2 AS reached, null AS entity
    UNION ALL
    WITH seed.chunk AS start, seed.part / whole / 2 AS part
    MATCH (start)<-[:FROM_CHUNK]-(named:QcgEntity)
    WITH part, collect(named) AS entities UNWIND entities AS entity
    WITH entity, part / size(entities) AS part, COUNT { (entity)-[:FROM_CHUNK]->() } AS chunks
    WHERE chunks <= $maxEntityDegree
    MATCH (entity)-[:FROM_CHUNK]->(chunk:QcgChunk)
    RETURN chunk, part / chunks AS reached, entity
  }
  WITH chunk, seed, entity, reached ORDER BY reached DESC, entity.id
  WITH chunk, sum(reached) AS reached, head(collect(CASE WHEN seed.chunk <> chunk THEN {seed: seed.chunk, entity: entity} END)) AS over
  ORDER BY reached DESC, chunk.id
  RETURN collect({chunk: chunk, reached: reached, over: over}) AS walked
}
CALL (proposals, walked) {
  UNWIND [proposal IN proposals | proposal.chunk] + [step IN walked[..$walkChunks] | step.chunk] AS chunk
  RETURN collect(DISTINCT chunk) AS chunks
}
CALL (terms, weights, layers, chunks, walked) {
  UNWIND chunks AS chunk
  MATCH (chunk)<-[:FROM_CHUNK]-(hit:QcgQuery|QcgAtom|QcgWindow)
  WITH chunk, hit, CASE WHEN hit:QcgQuery THEN 'Query' WHEN hit:QcgAtom THEN 'Atom' ELSE 'Window' END AS layer WHERE weights[layer] > 0
  RETURN chunk, layer, hit, null AS seed, 2 * vector.similarity.cosine(hit.embedding, $questionVector) - 1 AS score
  UNION ALL
  UNWIND chunks AS chunk
  WITH chunk, chunk AS hit WHERE weights.Window > 0 AND NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgWindow) }
  RETURN chunk, 'Window' AS layer, hit, null AS seed, 2 * vector.similarity.cosine(hit.embedding, $questionVector) - 1 AS score
  UNION ALL
  UNWIND chunks AS chunk MATCH ()-[hit:RELATED_TO {chunkId: chunk.id}]->() WHERE weights.RELATED_TO > 0
  RETURN chunk, type(hit) AS layer, hit, null AS seed, 2 * vector.similarity.cosine(hit.embedding, $questionVector) - 1 AS score
  UNION ALL
  // BM25 of just these chunks: their ids restrict the search and add nothing to the score.
  WITH reduce(ids = '', chunk IN chunks | ids + ' ' + chunk.id) AS ids
  UNWIND [held IN layers WHERE held.layer IN ['words', 'expandedWords']] AS held
  CALL db.index.fulltext.queryNodes(CASE held.layer WHEN 'words' THEN 'qcg_chunk_words' ELSE 'qcg_chunk_expanded_words' END,
    '+' + held.layer + ':(' + terms + ') +id:(' + ids + ')^0') YIELD node, score
  RETURN node AS chunk, held.layer AS layer, node AS hit, null AS seed, score / held.unit AS score
  UNION ALL
  // A chunk reached with a millionth of the walk counts half as much as where it begins with all of it.
  UNWIND [step IN walked WHERE step.chunk IN chunks] AS step
  RETURN step.chunk AS chunk, 'Entity' AS layer, coalesce(step.over.entity, step.chunk) AS hit, step.over.seed AS seed,
         log(1 + 1e6 * step.reached) / log(1 + 1e6) AS score
}
WITH * ORDER BY score DESC, hit.id WHERE score IS NOT NULL // what has no embedding yet
WITH weights, chunks, chunk, layer, head(collect({hit: hit, seed: seed, score: score})) AS best
WITH weights, chunks, layer, collect({chunk: chunk, best: best}) AS held, min(best.score) AS least
// A chunk without anything in a layer of vectors counts as the worst candidate; without a common word, or not reached, as 0.
WITH weights, layer, held, [entry IN held | entry.chunk] AS holders, chunks,
     CASE WHEN layer IN ['words', 'expandedWords', 'Entity'] THEN 0.0 ELSE least END AS least
UNWIND held + [chunk IN chunks WHERE NOT chunk IN holders | {chunk: chunk, best: {score: least}}] AS entry
WITH entry.chunk AS chunk, layer, entry.best AS best, entry.best.score * coalesce(weights[layer], $walkWeight) AS share
ORDER BY share DESC
WITH chunk, sum(share) AS score,
     collect({layer: layer, hit: best.hit, seed: best.seed, score: best.score, share: share}) AS layers
ORDER BY score DESC, chunk.id LIMIT $passages
MATCH (chunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
WITH chunk {.id, .index, .text, .tokenCount, also: COLLECT {
       MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
       RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
     }} AS chunk, document {.id, .title} AS document, score,
     [part IN layers | part {.layer, .score, .share, id: part.hit.id, start: part.hit.start, end: part.hit.end,
       text: coalesce(part.hit.ttr, part.hit.name, part.hit.text), seed: part.seed.id, seedText: left(part.seed.text, 200)}] AS layers
// What was deleted meanwhile holds nothing.
WHERE all(value IN [chunk.id, chunk.index, chunk.text, chunk.tokenCount, document.id] WHERE value IS NOT NULL)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, chunk.also AS also, score,
       [part IN layers WHERE coalesce(part.text, toString(part.end)) IS NOT NULL | part {
         .layer, .id, .score, .share, .seed, .seedText, text: CASE WHEN part.id = chunk.id THEN null
           WHEN part.layer = 'Window' THEN substring(chunk.text, part.start, part.end - part.start) ELSE part.text END
       }] AS layers
ORDER BY score DESC, id
