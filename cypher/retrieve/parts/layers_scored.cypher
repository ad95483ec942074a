// The same rows as those of retrieve/layers, by the plug-in's procedure: in less time.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $configuration: MAP  the settings, as qcg.configuration('qcg.score.layers') lists them
WITH $configuration AS configuration
CALL qcg.score.layers({text: $question, vector: $questionVector}, configuration {.*, corpus: 'default'}) YIELD chunk, score, layers
MATCH (chunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
WITH chunk {.id, .index, .text, .tokenCount, .page, .lastPage, .headings, also: COLLECT {
       MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
       RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
     }} AS chunk, document {.id, .title} AS document, score,
     [part IN layers | part {.layer, .score, .share, id: part.hit.id, start: part.hit.start, end: part.hit.end,
       text: coalesce(part.hit.ttr, part.hit.name, part.hit.text), seed: part.seed.id, seedText: left(part.seed.text, 200),
       name: part.name.id, nameText: part.name.name, stated: part.stated.id, statedText: part.stated.ttr}] AS layers
// What was deleted meanwhile holds nothing.
WHERE all(value IN [chunk.id, chunk.index, chunk.text, chunk.tokenCount, document.id] WHERE value IS NOT NULL)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, chunk.page AS page, chunk.lastPage AS lastPage, chunk.headings AS headings,
       chunk.also AS also, score,
       [part IN layers WHERE coalesce(part.text, toString(part.end)) IS NOT NULL | part {
         .layer, .id, .score, .share, .seed, .seedText, .name, .nameText, .stated, .statedText, text: CASE WHEN part.id = chunk.id THEN null
           WHEN part.layer = 'Window' THEN substring(chunk.text, part.start, part.end - part.start) ELSE part.text END
       }] AS layers
ORDER BY score DESC, id
