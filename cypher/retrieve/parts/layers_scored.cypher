// The same rows as those of retrieve/layers, by the plug-in's procedure: in less time.
// $question: STRING  the question as asked; only its letters and digits are searched for
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $configuration: MAP  the settings, as qcg.configuration('qcg.score.layers') lists them
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
WITH $configuration AS configuration
CALL qcg.score.layers({text: $question, vector: $questionVector}, configuration {.*, permitted: $permitted, corpus: 'default'}) YIELD chunk, score, layers
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
