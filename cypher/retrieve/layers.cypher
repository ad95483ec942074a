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
// $nameShare: FLOAT  share of the walk that begins at the pages of names in the question; 0 looks for no names
// $pageShare: FLOAT  share of what chunks say about a name that one must hold to be its page
// $chainWeight: FLOAT  weight of being reached where the walk begins at names
// $aboutPower: FLOAT  with names: the walk prefers chunks by how much they are about an entity, to this power
// $relationSharpness: FLOAT  with names: the walk prefers entities by e to so many cosines of their triple; 0 none
// $furtherChunks: INTEGER  with names: chunks from which half of the walk goes on once more; 0 none
// $restAlone: BOOLEAN  with names: all chunks but their pages are compared with the question without its names
// $maxEntityDegree: INTEGER  entities that more chunks name are not followed
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
WITH reduce(words = toLower($question), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ # _ \' ’', ' ') |
       replace(words, sign, ' ')) AS words
WITH reduce(terms = '', word IN [word IN split(words, ' ') WHERE word <> ''][..1000] | terms + ' ' + word) AS terms,
     {Query: $queryWeight, Window: $windowWeight, Atom: $atomWeight, RELATED_TO: $tripleWeight, words: $fulltextWeight,
      expandedWords: $expandedWeight} AS weights
// The names that have a page of their own: a chunk that holds most of what is said about them.
CALL () {
  WITH $question AS question WHERE $walkWeight > 0 AND $nameShare > 0 AND $chainWeight > 0
  WITH reduce(letters = '', sign IN split(normalize(left(question, 2000), NFKD), '') | letters + CASE
         WHEN sign =~ '\\p{M}' THEN '' WHEN sign =~ '[\\p{L}\\p{N}]' THEN sign ELSE ' ' END) AS letters
  WITH [word IN split(letters, ' ') WHERE word <> ''] AS words
  // A proper name has a capital letter, in the graph and here; the first word of a question has one anyway.
  UNWIND range(0, size(words) - 1) AS start
  UNWIND range(start + 1, CASE WHEN start + 12 < size(words) THEN start + 12 ELSE size(words) END) AS end
  WITH start, end, words[start..end] AS part WHERE end > 1 AND any(word IN part WHERE word =~ '\\p{Lu}.*')
  WITH start, end, toLower(substring(reduce(name = '', word IN part | name + ' ' + word), 1)) AS name
  CALL (name) {
    MATCH (entity:QcgEntity)
    WHERE (entity.spelling = name OR entity.shortSpelling = name) AND entity.name =~ '(?s).*\\p{Lu}.*'
    RETURN entity
    UNION
    MATCH (alias:QcgAlias)-[:ALIAS_OF]->(entity:QcgEntity)
    WHERE (alias.spelling = name OR alias.shortSpelling = name) AND alias.name =~ '(?s).*\\p{Lu}.*'
    RETURN entity
  }
  WITH start, end, name, entity WHERE COUNT { (entity)-[:FROM_CHUNK]->() } <= 100
    AND ($permitted IS NULL OR EXISTS {
      (entity)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted })
  WITH start, end, name, entity ORDER BY entity.id
  WITH start, end, name, collect(entity) AS entities ORDER BY end - start DESC, start
  WITH collect({start: start, end: end, name: name, entities: entities}) AS found
  // The longest first; what overlaps with a longer one is none.
  WITH reduce(kept = [], one IN found | kept + CASE
         WHEN any(other IN kept WHERE other.start < one.end AND one.start < other.end) THEN [] ELSE [one] END) AS kept
  UNWIND kept AS one
  WITH one ORDER BY one.start
  WITH one.name AS name, head(collect(one.entities)) AS entities, min(one.start) AS start
  CALL (entities) {
    UNWIND entities AS entity
    MATCH (entity)-[said:FROM_CHUNK]->(chunk:QcgChunk)
    WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
    WITH chunk, entity, coalesce(said.about, 0.1) AS about ORDER BY about DESC, entity.id
    WITH chunk, head(collect(entity)) AS entity, max(about) AS about ORDER BY about DESC, chunk.id
    RETURN collect({chunk: chunk, entity: entity, about: about}) AS said
  }
  WITH start, name, entities, said, reduce(sum = 0.0, one IN said | sum + one.about ^ 2) AS whole
  WHERE said[0].about >= 0.8 AND said[0].about ^ 2 >= $pageShare * whole
  WITH name, entities, said[0].entity AS entity, said[..$walkSeeds] AS pages ORDER BY start
  RETURN collect({name: name, entities: entities, entity: entity, pages: pages}) AS names
}
WITH terms, names, weights {.*, Entity: CASE names WHEN [] THEN $walkWeight ELSE $chainWeight END} AS weights
CALL (terms, weights) {
  UNWIND [['Query', 'qcg_query_embedding'], ['Atom', 'qcg_atom_embedding'], ['Window', 'qcg_window_embedding'],
          ['Window', 'qcg_chunk_embedding']] AS source
  WITH source WHERE weights[source[0]] > 0
  CALL (source) {
    CALL (source) {
      CALL db.index.vector.queryNodes(source[1], $candidates, $questionVector) YIELD node
      WHERE node:!QcgChunk OR NOT EXISTS { (node)<-[:FROM_CHUNK]-(:QcgWindow) }
      OPTIONAL MATCH (node)-[:FROM_CHUNK]->(holder:QcgChunk)
      WITH node, coalesce(holder, node) AS chunk
      WITH node, chunk, $permitted IS NULL OR EXISTS {
        (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
      RETURN collect(CASE WHEN isPermitted THEN {node: node, chunk: chunk} END) AS near,
             count(DISTINCT CASE WHEN isPermitted THEN chunk END) AS found, count(*) AS seen
    }
    CALL (source, near, found, seen) {
      UNWIND near AS one RETURN one.node AS node, one.chunk AS chunk
      UNION
      // Where the index has more and brings too few that are permitted, all of these are looked at.
      UNWIND CASE WHEN found < 2 * $layerCandidates AND 2 * seen >= $candidates THEN $permitted END AS id
      MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)<-[:FROM_CHUNK*0..1]-(node)
      WHERE CASE source[1] WHEN 'qcg_query_embedding' THEN node:QcgQuery WHEN 'qcg_atom_embedding' THEN node:QcgAtom
        WHEN 'qcg_window_embedding' THEN node:QcgWindow ELSE node = chunk AND NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgWindow) } END
      RETURN node, chunk
    }
    WITH chunk, 2 * max(vector.similarity.cosine(node.embedding, $questionVector)) - 1 AS score
    WHERE score IS NOT NULL
    WITH chunk, score ORDER BY score DESC, chunk.id LIMIT $layerCandidates
    RETURN chunk, score
  }
  RETURN source[0] AS layer, chunk, score
  UNION ALL
  WITH weights WHERE weights.RELATED_TO > 0
  CALL () {
    CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector) YIELD relationship
    WHERE startNode(relationship):QcgEntity
    WITH relationship, relationship.chunkId AS id, $permitted IS NULL OR EXISTS {
      (:QcgChunk {id: relationship.chunkId})<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted
    } AS isPermitted
    RETURN collect(CASE WHEN isPermitted THEN relationship END) AS near,
           count(DISTINCT CASE WHEN isPermitted THEN id END) AS found, count(*) AS seen
  }
  CALL (near, found, seen) {
    UNWIND near AS relationship RETURN relationship
    UNION
    UNWIND CASE WHEN found < 2 * $layerCandidates AND 2 * seen >= $candidates THEN $permitted END AS id
    MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
    MATCH (start:QcgEntity)-[relationship:RELATED_TO {chunkId: chunk.id}]->()
    RETURN relationship
  }
  WITH relationship.chunkId AS id, 2 * max(vector.similarity.cosine(relationship.embedding, $questionVector)) - 1 AS score
  WHERE score IS NOT NULL
  WITH id, score ORDER BY score DESC, id LIMIT $layerCandidates
  MATCH (chunk:QcgChunk {id: id})
  RETURN 'RELATED_TO' AS layer, chunk, score
  UNION ALL
  UNWIND [['words', 'qcg_chunk_words'], ['expandedWords', 'qcg_chunk_expanded_words']] AS source
  WITH terms, source WHERE terms <> '' AND weights[source[0]] > 0
  CALL (terms, source) {
    // Best first: with a filter as many are read as it takes.
    CALL db.index.fulltext.queryNodes(source[1], source[0] + ':(' + terms + ')',
      CASE WHEN $permitted IS NULL THEN {limit: $layerCandidates} ELSE {} END) YIELD node AS chunk, score
    WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
    RETURN chunk, score LIMIT $layerCandidates
  }
  RETURN source[0] AS layer, chunk, score
}
// What a chunk promises is by how much it is ahead of the last proposal, summed over the layers.
WITH terms, names, weights, layer, collect({chunk: chunk, score: score}) AS proposed, max(score) AS most, min(score) AS least
WITH terms, names, weights, collect({layer: layer, proposed: proposed, least: least,
       unit: CASE WHEN layer IN ['words', 'expandedWords'] THEN most ELSE 1.0 END}) AS layers
CALL (weights, layers) {
  UNWIND layers AS held UNWIND held.proposed AS entry
  WITH entry.chunk AS chunk, sum(weights[held.layer] * (entry.score - held.least) / held.unit) AS promise
  ORDER BY promise DESC, chunk.id
  RETURN collect({chunk: chunk, promise: promise}) AS proposals
}
WITH terms, names, weights, layers, proposals,
     [seed IN CASE WHEN $walkWeight > 0 THEN proposals[..$walkSeeds] ELSE [] END |
       {chunk: seed.chunk, part: exp((seed.promise - proposals[0].promise) / 0.2)}] AS first
CALL (names, first) {
  // Without names all of the walk begins at the most promising chunks.
  WITH names, first, reduce(sum = 0.0, seed IN first | sum + seed.part) AS whole
  RETURN [seed IN first | seed {.chunk, part: CASE names WHEN [] THEN 1 ELSE 1 - $nameShare END * seed.part / whole}] +
    reduce(begun = [], name IN names | begun + [page IN name.pages | {chunk: page.chunk, name: page.entity,
      part: $nameShare / size(names) * page.about ^ $aboutPower / reduce(sum = 0.0, one IN name.pages | sum + one.about ^ $aboutPower)}]) AS seeds
}
// The question without its names: so much of each name's vector is taken out, and that is left of the length.
WITH *, reduce(rest = {names: [], square: 1.0}, name IN [name IN names WHERE name.entity.embedding IS NOT NULL | name.entity.embedding] |
       head([shared IN [2 * vector.similarity.cosine(name, $questionVector) - 1 - reduce(sum = 0.0, one IN rest.names |
              sum + one.shared * (2 * vector.similarity.cosine(one.name, name) - 1))] |
         CASE WHEN rest.square - shared ^ 2 > 1e-6 * rest.square
           THEN {names: rest.names + [{name: name, shared: shared}], square: rest.square - shared ^ 2} ELSE rest END])) AS rest,
     CASE names WHEN [] THEN 0.0 ELSE $relationSharpness END AS sharpness, CASE names WHEN [] THEN 0.0 ELSE $aboutPower END AS power
CALL (names, seeds, rest, sharpness, power) {
  UNWIND [seed IN seeds WHERE seed.part > 0] AS seed
  CALL (names, seed, rest, sharpness, power) {
    // Half of the walk stays where it begins, half goes on over an entity to any chunk that names it.
    RETURN seed.chunk AS chunk, seed.part / 2 AS reached, seed.name AS entity, null AS stated, true AS stays
    UNION ALL
    CALL (seed, rest, sharpness) {
      MATCH (source)-[triple:RELATED_TO {chunkId: seed.chunk.id}]->(target) WHERE sharpness > 0
      WITH source, target, triple, (2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1 - reduce(sum = 0.0,
             one IN rest.names | sum + one.shared * (2 * vector.similarity.cosine(triple.embedding, one.name) - 1))) / sqrt(rest.square) AS score
      WHERE score IS NOT NULL
      UNWIND [source, target] AS entity
      WITH entity, triple, score ORDER BY score DESC, triple.id
      WITH entity, head(collect(triple)) AS triple, max(score) AS score
      RETURN collect({entity: entity, triple: triple, score: score}) AS nearest, coalesce(min(score), 0.0) - 0.1 AS least
    }
    // Bound beforehand: compared with the seed's chunk, every chunk would be looked at.
    WITH *, seed.chunk AS start MATCH (named:QcgEntity)-[:FROM_CHUNK]->(start) WHERE none(name IN names WHERE named IN name.entities)
    WITH seed, power, named AS entity, head([one IN nearest WHERE one.entity = named]) AS way, sharpness, least
    WITH seed, power, collect({entity: entity, stated: way.triple, weight: exp(sharpness * coalesce(way.score, least))}) AS ways
    WITH seed, power, ways, reduce(sum = 0.0, way IN ways | sum + way.weight) AS whole
    UNWIND ways AS way
    WITH way.entity AS entity, way.stated AS stated, seed.part / 2 * way.weight / whole AS part, power
    WHERE COUNT { (entity)-[:FROM_CHUNK]->() } <= $maxEntityDegree
    CALL (entity, power) {
      MATCH (entity)-[said:FROM_CHUNK]->(chunk:QcgChunk)
      WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
      WITH collect({chunk: chunk, weight: coalesce(said.about, 0.1) ^ power}) AS ends
      RETURN ends, reduce(sum = 0.0, end IN ends | sum + end.weight) AS whole
    }
    UNWIND ends AS end
    RETURN end.chunk AS chunk, part * end.weight / whole AS reached, entity, stated, false AS stays
  }
  RETURN collect({chunk: chunk, seed: seed, entity: entity, stated: stated, stays: stays, reached: reached}) AS steps
}
CALL (names, steps) {
  // With names the walk goes on once more, from the chunks that the most of it has come to.
  UNWIND [step IN CASE names WHEN [] THEN [] ELSE steps END WHERE NOT step.stays] AS step
  WITH step.chunk AS chunk, sum(step.reached) AS part ORDER BY part DESC, chunk.id LIMIT $furtherChunks
  RETURN collect({chunk: chunk, part: part}) AS further
}
CALL (names, further, rest, sharpness, power) {
  UNWIND [seed IN further WHERE seed.part > 0] AS seed
  CALL (names, seed, rest, sharpness, power) {
    // Half of what came stays, half goes on as before.
    RETURN seed.chunk AS chunk, -seed.part / 2 AS reached, null AS entity, null AS stated, true AS stays
    UNION ALL
    CALL (seed, rest, sharpness) {
      MATCH (source)-[triple:RELATED_TO {chunkId: seed.chunk.id}]->(target) WHERE sharpness > 0
      WITH source, target, triple, (2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1 - reduce(sum = 0.0,
             one IN rest.names | sum + one.shared * (2 * vector.similarity.cosine(triple.embedding, one.name) - 1))) / sqrt(rest.square) AS score
      WHERE score IS NOT NULL
      UNWIND [source, target] AS entity
      WITH entity, triple, score ORDER BY score DESC, triple.id
      WITH entity, head(collect(triple)) AS triple, max(score) AS score
      RETURN collect({entity: entity, triple: triple, score: score}) AS nearest, coalesce(min(score), 0.0) - 0.1 AS least
    }
    // Bound beforehand: compared with the seed's chunk, every chunk would be looked at.
    WITH *, seed.chunk AS start MATCH (named:QcgEntity)-[:FROM_CHUNK]->(start) WHERE none(name IN names WHERE named IN name.entities)
    WITH seed, power, named AS entity, head([one IN nearest WHERE one.entity = named]) AS way, sharpness, least
    WITH seed, power, collect({entity: entity, stated: way.triple, weight: exp(sharpness * coalesce(way.score, least))}) AS ways
    WITH seed, power, ways, reduce(sum = 0.0, way IN ways | sum + way.weight) AS whole
    UNWIND ways AS way
    WITH way.entity AS entity, way.stated AS stated, seed.part / 2 * way.weight / whole AS part, power
    WHERE COUNT { (entity)-[:FROM_CHUNK]->() } <= $maxEntityDegree
    CALL (entity, power) {
      MATCH (entity)-[said:FROM_CHUNK]->(chunk:QcgChunk)
      WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
      WITH collect({chunk: chunk, weight: coalesce(said.about, 0.1) ^ power}) AS ends
      RETURN ends, reduce(sum = 0.0, end IN ends | sum + end.weight) AS whole
    }
    UNWIND ends AS end
    RETURN end.chunk AS chunk, part * end.weight / whole AS reached, entity, stated, false AS stays
  }
  RETURN collect({chunk: chunk, seed: seed, entity: entity, stated: stated, stays: stays, reached: reached}) AS furtherSteps
}
CALL (steps, furtherSteps) {
  UNWIND steps + furtherSteps AS step
  WITH step ORDER BY step.reached DESC, step.entity.id
  WITH step.chunk AS chunk, sum(step.reached) AS reached, head(collect(CASE
    WHEN step.stays AND step.entity IS NOT NULL THEN {entity: step.entity}
    WHEN step.seed.chunk <> step.chunk THEN step {seed: step.seed.chunk, name: step.seed.name, .entity, .stated} END)) AS over
  ORDER BY reached DESC, chunk.id
  RETURN collect({chunk: chunk, reached: reached, over: over}) AS walked
}
CALL (proposals, walked) {
  UNWIND [proposal IN proposals | proposal.chunk] + [step IN walked[..$walkChunks] | step.chunk] AS chunk
  RETURN collect(DISTINCT chunk) AS chunks
}
// The pages of the names are compared with the question, the others with what is left of it without them.
WITH *, CASE WHEN $restAlone THEN [name IN names | name.pages[0].chunk] ELSE chunks END AS whole,
     reduce(left = '', term IN split(terms, ' ') | left + CASE WHEN any(name IN names WHERE reduce(letters = '',
       sign IN split(normalize(term, NFKD), '') | letters + CASE WHEN sign =~ '\\p{M}' THEN '' ELSE sign END) IN split(name.name, ' '))
       THEN '' ELSE ' ' + term END) AS left
CALL (terms, left, weights, layers, chunks, whole, walked) {
  UNWIND chunks AS chunk
  MATCH (chunk)<-[:FROM_CHUNK]-(hit:QcgQuery|QcgAtom|QcgWindow)
  WITH chunk, hit, CASE WHEN hit:QcgQuery THEN 'Query' WHEN hit:QcgAtom THEN 'Atom' ELSE 'Window' END AS layer WHERE weights[layer] > 0
  RETURN chunk, layer, hit, null AS over, null AS given
  UNION ALL
  UNWIND chunks AS chunk
  WITH chunk, chunk AS hit WHERE weights.Window > 0 AND NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgWindow) }
  RETURN chunk, 'Window' AS layer, hit, null AS over, null AS given
  UNION ALL
  UNWIND chunks AS chunk MATCH ()-[hit:RELATED_TO {chunkId: chunk.id}]->() WHERE weights.RELATED_TO > 0
  RETURN chunk, 'RELATED_TO' AS layer, hit, null AS over, null AS given
  UNION ALL
  // BM25 of just these chunks: their ids restrict the search and add nothing to the score.
  UNWIND [{terms: terms, of: [chunk IN chunks WHERE chunk IN whole]}, {terms: left, of: [chunk IN chunks WHERE NOT chunk IN whole]}] AS asked
  WITH asked, layers, reduce(ids = '', chunk IN asked.of | ids + ' ' + chunk.id) AS ids WHERE ids <> '' AND trim(asked.terms) <> ''
  UNWIND [held IN layers WHERE held.layer IN ['words', 'expandedWords']] AS held
  CALL db.index.fulltext.queryNodes(CASE held.layer WHEN 'words' THEN 'qcg_chunk_words' ELSE 'qcg_chunk_expanded_words' END,
    '+' + held.layer + ':(' + asked.terms + ') +id:(' + ids + ')^0') YIELD node, score
  RETURN node AS chunk, held.layer AS layer, node AS hit, null AS over, score / held.unit AS given
  UNION ALL
  // A chunk reached with a millionth of the walk counts half as much as where it begins with all of it.
  UNWIND [step IN walked WHERE step.chunk IN chunks] AS step
  RETURN step.chunk AS chunk, 'Entity' AS layer, coalesce(step.over.entity, step.chunk) AS hit, step.over AS over,
         log(1 + 1e6 * step.reached) / log(1 + 1e6) AS given
}
WITH *, CASE WHEN chunk IN whole THEN {names: [], square: 1.0} ELSE rest END AS asked
WITH *, coalesce(given, (2 * vector.similarity.cosine(hit.embedding, $questionVector) - 1 - reduce(sum = 0.0,
       one IN asked.names | sum + one.shared * (2 * vector.similarity.cosine(hit.embedding, one.name) - 1))) / sqrt(asked.square)) AS score
WITH * ORDER BY score DESC, hit.id WHERE score IS NOT NULL // what has no embedding yet
WITH weights, chunks, chunk, layer, head(collect({hit: hit, over: over, score: score})) AS best
WITH weights, chunks, layer, collect({chunk: chunk, best: best}) AS held, min(best.score) AS least
// A chunk without anything in a layer of vectors counts as the worst candidate; without a common word, or not reached, as 0.
WITH weights, layer, held, [entry IN held | entry.chunk] AS holders, chunks,
     CASE WHEN layer IN ['words', 'expandedWords', 'Entity'] THEN 0.0 ELSE least END AS least
UNWIND held + [chunk IN chunks WHERE NOT chunk IN holders | {chunk: chunk, best: {score: least}}] AS entry
WITH entry.chunk AS chunk, layer, entry.best AS best, entry.best.score * weights[layer] AS share
ORDER BY share DESC
WITH chunk, sum(share) AS score,
     collect({layer: layer, hit: best.hit, seed: best.over.seed, name: best.over.name, stated: best.over.stated, score: best.score, share: share}) AS layers
ORDER BY score DESC, chunk.id LIMIT $passages
CALL (chunk) {
  // Of the documents that hold the text those that are permitted, its own first; the place is that in the first.
  MATCH (chunk)<-[:SAME_TEXT_AS*0..1]-(holder)-[:FROM_DOCUMENT]->(document:QcgDocument)
  WHERE $permitted IS NULL OR document.id IN $permitted
  WITH holder {.index, .page, .lastPage, .headings}, document {.*}, holder <> chunk AS isCopy ORDER BY isCopy, document.id
  RETURN head(collect(holder)) AS place, head(collect(document)) AS document, collect(DISTINCT document {.id, .title})[1..] AS also
}
WITH chunk {.id, .text, .tokenCount}, place, document, also, score,
     [part IN layers | part {.layer, .score, .share, id: part.hit.id, start: part.hit.start, end: part.hit.end,
       // An entity is called as the chunk spells it: elsewhere it may have another name.
       text: coalesce(part.hit.ttr, CASE WHEN $permitted IS NULL THEN part.hit.name ELSE COLLECT {
         MATCH (entity)-[said:FROM_CHUNK]->(:QcgChunk {id: chunk.id}) WHERE entity = part.hit AND entity:QcgEntity RETURN said.name }[0] END, part.hit.text), seed: part.seed.id, seedText: left(part.seed.text, 200),
       name: part.name.id, nameText: CASE WHEN $permitted IS NULL THEN part.name.name ELSE COLLECT {
         MATCH (entity)-[said:FROM_CHUNK]->(:QcgChunk {id: part.seed.id}) WHERE entity = part.name RETURN said.name }[0] END, stated: part.stated.id, statedText: part.stated.ttr}] AS layers
// What was deleted meanwhile holds nothing.
WHERE all(value IN [chunk.id, place.index, chunk.text, chunk.tokenCount, document.id] WHERE value IS NOT NULL)
RETURN chunk.id AS id, document.id AS document, document.title AS title, place.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, place.page AS page, place.lastPage AS lastPage, place.headings AS headings,
       also, document AS metadata, score,
       [part IN layers WHERE coalesce(part.text, toString(part.end)) IS NOT NULL | part {
         .layer, .id, .score, .share, .seed, .seedText, .name, .nameText, .stated, .statedText, text: CASE WHEN part.id = chunk.id THEN null
           WHEN part.layer = 'Window' THEN substring(chunk.text, part.start, part.end - part.start) ELSE part.text END
       }] AS layers
ORDER BY score DESC, id
