// What the indexes hold nearest to a question: the layer, which of the questions, the chunk, the entry of the index and its score.
// $found: LIST<MAP>  one row of retrieve/words: words, of the question
// $asked: MAP  questions: the question, and perhaps what is left of it without its names, each a vector of unit length and words that are not searched for (without); names: rows of retrieve/layers/names; dates: days of the question; rest: the question's vector without what it shares with them
// $layers: LIST<STRING>  the layers that are asked, of Query, Window, Atom, RELATED_TO, words, expandedWords and dates
// $hits: INTEGER  how many entries of each layer are returned (N)
// $candidates: INTEGER  how many entries are taken from each vector index at least
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.words AS words
UNWIND range(0, size($asked.questions) - 1) AS place
WITH place, $asked.questions[place] AS asked, words[0] AS words
WITH place, asked.vector AS vector, [word IN words WHERE asked.without = [] OR NOT reduce(letters = '', sign IN split(normalize(word, NFKD), '') |
       letters + CASE WHEN sign =~ '\\p{M}' THEN '' ELSE sign END) IN [name IN asked.without | toLower(toUpper(name))]] AS words
WITH place, vector, reduce(terms = '', word IN words[..1000] | terms + ' ' + word) AS terms // Lucene takes 1,024 clauses
WITH place, vector, terms, CASE WHEN $candidates > $hits THEN $candidates ELSE $hits END AS candidates
UNWIND $layers AS layer
CALL (vector, terms, layer, candidates) {
  UNWIND CASE WHEN terms <> '' THEN {words: [['qcg_chunk_words', 'words:(']], expandedWords: [['qcg_chunk_expanded_words', 'expandedWords:(']],
    dates: CASE WHEN $asked.dates <> [] THEN [['qcg_chunk_words', '+dates:(' + reduce(days = '', day IN $asked.dates | days + ' "' + day + '"') + ') words:(']] END
  }[layer] END AS sought
  // Best first: with a filter as many are read as it takes.
  CALL db.index.fulltext.queryNodes(sought[0], sought[1] + terms + ')', CASE WHEN $permitted IS NULL THEN {limit: $hits} ELSE {} END) YIELD node, score
  // The text of a duplicate is found by its first, the date of its document by itself.
  WHERE $permitted IS NULL OR EXISTS { (node)<-[:SAME_TEXT_AS*0..1]-(holder)-[:FROM_DOCUMENT]->(document)
    WHERE document.id IN $permitted AND (layer <> 'dates' OR holder = node) }
  WITH coalesce([(node)-[:SAME_TEXT_AS]->(first) | first][0], node) AS chunk, CASE layer WHEN 'dates' THEN 1.0 ELSE score END AS score
  RETURN chunk, chunk AS hit, score LIMIT $hits
  UNION ALL
  CALL (vector, layer, candidates) {
    CALL (vector, layer, candidates) {
      UNWIND {Query: ['qcg_query_embedding'], Window: ['qcg_window_embedding', 'qcg_chunk_embedding'], Atom: ['qcg_atom_embedding']}[layer] AS index
      CALL db.index.vector.queryNodes(index, candidates, vector) YIELD node AS hit, score
      WHERE hit:!QcgChunk OR NOT EXISTS { (hit)<-[:FROM_CHUNK]-(:QcgWindow) } // a chunk that fits the model is its own window
      OPTIONAL MATCH (hit)-[:FROM_CHUNK]->(holder:QcgChunk)
      RETURN hit, coalesce(holder, hit) AS chunk, score
      UNION ALL
      WITH layer WHERE layer = 'RELATED_TO'
      CALL db.index.vector.queryRelationships('qcg_related_to_embedding', candidates, vector) YIELD relationship AS hit, score
      WHERE startNode(hit):QcgEntity
      MATCH (chunk:QcgChunk {id: hit.chunkId})
      RETURN hit, chunk, score
    }
    WITH hit, chunk, score, $permitted IS NULL OR EXISTS {
      (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
    RETURN collect(CASE WHEN isPermitted THEN {hit: hit, chunk: chunk, score: score} END) AS near, count(*) AS seen
  }
  CALL (vector, layer, near, seen) {
    UNWIND near AS one RETURN one.hit AS hit, one.chunk AS chunk, one.score AS score
    UNION ALL
    // Where the index has more and brings too few that are permitted, all of these are looked at.
    UNWIND CASE WHEN size(near) < $hits AND 2 * seen >= $candidates THEN $permitted END AS id
    MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
    CALL (layer, chunk) {
      MATCH (chunk)<-[:FROM_CHUNK*0..1]-(hit)
      WHERE CASE layer WHEN 'Query' THEN hit:QcgQuery WHEN 'Atom' THEN hit:QcgAtom
        WHEN 'Window' THEN hit:QcgWindow OR (hit = chunk AND NOT EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgWindow) }) END
      RETURN hit
      UNION ALL
      MATCH (start:QcgEntity)-[hit:RELATED_TO {chunkId: chunk.id}]->() WHERE layer = 'RELATED_TO'
      RETURN hit
    }
    RETURN hit, chunk, vector.similarity.cosine(hit.embedding, vector) AS score
  }
  WITH chunk, hit, max(score) AS score
  WHERE score IS NOT NULL AND hit.id IS NOT NULL // what was deleted meanwhile holds nothing
  // A sentence counts once: where no model has read a chunk its atoms are those that its queries are, its triples some of them.
    AND NOT CASE WHEN layer IN ['Atom', 'RELATED_TO'] AND chunk.namesOnly
      THEN layer = 'RELATED_TO' OR EXISTS { (chunk)<-[:FROM_CHUNK]-(query:QcgQuery) WHERE query.text = hit.text } ELSE false END
  RETURN chunk, hit, 2 * score - 1 AS score ORDER BY score DESC, hit.id LIMIT $hits
}
RETURN layer, place, chunk, hit, score
