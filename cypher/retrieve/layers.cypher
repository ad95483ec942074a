// The best chunks for a question by all layers and by the walk: id, score, and a path for each layer, that first which adds most.
// $found: LIST<MAP>  rows of retrieve/layers/walk: chunk, floor, gain and parts by the layers, reached and way by the walk
// $asked: MAP  questions: the question, and perhaps what is left of it without its names, each a vector of unit length and words that are not searched for (without); names: rows of retrieve/layers/names; dates: days of the question; rest: the question's vector without what it shares with them
// $walkWeight: FLOAT  weight of being reached over shared entities; 0 does not walk
// $chainWeight: FLOAT  the same where the walk begins at names
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.chunk AS chunk, found.floor AS floor, found.gain AS gain, found.parts AS parts, found.reached AS reached, found.way AS way
WITH floor, chunk, sum(gain) AS gain, sum(reached) AS reached, reduce(all = [], one IN collect(parts) | all + one) AS parts,
     max(way)[1] AS way
WITH floor, chunk, gain, parts, way, log(1 + 1e6 * reached) / log(1 + 1e6) AS score, CASE $asked.names WHEN [] THEN $walkWeight ELSE $chainWeight END AS weight
WITH chunk, floor + gain + weight * score AS sum, parts, way, score, weight * score AS share ORDER BY sum DESC, chunk.id LIMIT $passages
// A common noun in lower case without a type is no name, where the script has two cases: a walk over it names no way.
WITH chunk, sum, parts, score, share, CASE WHEN way.entity IS NULL OR way.entity.type <> ''
  OR way.entity.name =~ '(?s).*\\p{Lu}.*' OR NOT way.entity.name =~ '(?s).*\\p{Ll}.*' THEN way END AS way
CALL (chunk, parts, way, score, share) {
  UNWIND parts AS part
  RETURN part.share AS added, [{layer: part.layer, label: CASE WHEN part.hit = chunk AND part.layer <> 'Window' THEN 'Chunk' ELSE part.layer END,
    id: part.hit.id, text: CASE part.layer WHEN 'words' THEN 'the question\'s words in its text'
      WHEN 'expandedWords' THEN 'the question\'s words in its text and in what was made from it'
      WHEN 'dates' THEN 'a day of the question'
      WHEN 'Window' THEN CASE part.hit WHEN chunk THEN chunk.text ELSE substring(chunk.text, part.hit.start, part.hit.end - part.hit.start) END
      ELSE coalesce(part.hit.ttr, part.hit.text) END, relationship: 'HIT', similarity: part.score, weight: part.share}] AS path
  UNION ALL
  WITH chunk, way, share, {layer: 'Entity', label: 'Entity', relationship: 'HIT', similarity: score, weight: share} AS last, [name IN $asked.names WHERE name.entity = way.name][0] AS name WHERE share > 0
  // An entity is called as the chunk spells it: elsewhere it may have another name.
  WITH *, CASE WHEN $permitted IS NULL THEN way.entity.name ELSE COLLECT {
    MATCH (entity)-[said:FROM_CHUNK]->(chunk) WHERE entity = way.entity RETURN said.name }[0] END AS called
  RETURN share AS added, CASE WHEN way IS NULL THEN [last {.*, label: 'Chunk', id: chunk.id, text: 'the walk over shared entities'}]
    WHEN way.seed IS NULL THEN [last {.*, id: name.entity, text: name.called}]
    ELSE [step IN [{label: 'Entity', id: name.entity, text: name.called, relationship: 'HIT'},
      {label: 'Chunk', id: way.seed.id, text: left(way.seed.text, 200), relationship: CASE WHEN name IS NULL THEN 'HIT' ELSE 'FROM_CHUNK' END},
      {label: CASE WHEN way.stated.ttr IS NULL THEN 'Atom' ELSE 'RELATED_TO' END, id: way.stated.id, text: coalesce(way.stated.ttr, way.stated.text), relationship: 'FROM_CHUNK'},
      last {.*, id: way.entity.id, text: called, relationship: 'FROM_CHUNK'}] WHERE step.id IS NOT NULL] END AS path
}
WITH chunk, sum, added, path ORDER BY added DESC
RETURN chunk.id AS id, sum AS score, collect(path) AS paths
