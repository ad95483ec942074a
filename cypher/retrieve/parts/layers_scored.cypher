// The same rows as those of retrieve/layers, by the plug-in's procedure: in less time.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $configuration: MAP  the settings, as qcg.configuration('qcg.score.layers') lists them
CALL qcg.score.layers({text: $question, vector: $questionVector}, $configuration) YIELD chunk, score, layers
MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, score,
       [part IN layers WHERE part.hit IS NOT NULL | {
         layer: part.layer, id: part.hit.id, score: part.score, share: part.share,
         text: CASE WHEN part.hit.id = chunk.id THEN null
           WHEN part.layer = 'Window' THEN substring(chunk.text, part.hit.start, part.hit.end - part.hit.start)
           ELSE coalesce(part.hit.ttr, part.hit.name, part.hit.text) END,
         seed: part.seed.id, seedText: left(part.seed.text, 200)
       }] AS layers
ORDER BY score DESC, id
