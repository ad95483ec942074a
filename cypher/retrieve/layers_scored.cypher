// The same rows as those of retrieve/layers, by the plug-in's procedure: in less time.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $configuration: MAP  the settings, as qcg.configuration('qcg.score.layers') lists them
CALL qcg.score.layers({text: $question, vector: $questionVector}, $configuration) YIELD chunk, score, layers
MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, score,
       [part IN layers WHERE part.hit IS NOT NULL |
         CASE WHEN part.seed IS NULL THEN [] ELSE [{label: 'Chunk', id: part.seed.id, relationship: 'HIT',
           similarity: null, weight: null, text: left(part.seed.text, 200)}] END +
         [{label: CASE WHEN part.layer IN ['words', 'expandedWords'] OR part.layer = 'Entity' AND part.seed IS NULL THEN 'Chunk'
             ELSE part.layer END, id: part.hit.id,
           relationship: CASE WHEN part.seed IS NULL THEN 'HIT' ELSE 'FROM_CHUNK' END,
           similarity: part.score, weight: part.share,
           text: coalesce(part.hit.ttr, part.hit.name, CASE part.layer WHEN 'words' THEN $question
             WHEN 'expandedWords' THEN $question + ' (in what was generated from it, too)'
             WHEN 'Entity' THEN 'where the walk begins' WHEN 'Window' THEN
               substring(chunk.text, coalesce(part.hit.start, 0), coalesce(part.hit.end, size(chunk.text)) - coalesce(part.hit.start, 0))
             ELSE part.hit.text END)}]
       ] AS paths
ORDER BY score DESC, id
