// One step of the walk: half of what goes on stays, half goes over an entity to any chunk that names it; with names the most of that goes on.
// $found: LIST<MAP>  rows of retrieve/layers/seeds or of the step before: chunk, floor, gain, parts, part (of the walk, that goes on), name, reached, way
// $asked: MAP  questions: the question, and perhaps what is left of it without its names, each a vector of unit length and words that are not searched for (without); names: rows of retrieve/layers/names; dates: days of the question; rest: the question's vector without what it shares with them
// $aboutPower: FLOAT  with names: the walk prefers chunks by how much they are about an entity, to this power
// $relationSharpness: FLOAT  with names: weights entities by exp(x · cosine of their best triple); 0 = off
// $furtherChunks: INTEGER  with names: chunks from which half of the walk goes on once more; 0 none
// $maxEntityDegree: INTEGER  entities that more chunks name are not followed
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.chunk AS chunk, found.floor AS floor, found.gain AS gain, found.parts AS parts, found.part AS part, found.name AS name, found.reached AS reached, found.way AS way
WITH collect({chunk: chunk, floor: floor, gain: gain, parts: parts, part: 0.0, name: null, reached: reached - part / 2, way: way}) AS before, max(floor) AS floor,
     collect(CASE WHEN part > 0 THEN {chunk: chunk, part: part, name: name} END) AS seeds
CALL (seeds) {
  UNWIND seeds AS seed
  WITH seed, seed.chunk AS start
  CALL (start) {
    CALL (start) {
      MATCH (source)-[triple:RELATED_TO {chunkId: start.id}]->(target) WHERE start.namesOnly IS NULL
      RETURN triple, [source, target] AS ends
      UNION ALL
      WITH start WHERE start.namesOnly // a sentence stands for what no model has read
      MATCH (start)<-[:FROM_CHUNK]-(atom:QcgAtom)-[:MENTIONS {chunkId: start.id}]->(entity)
      RETURN atom AS triple, collect(entity) AS ends
    }
    WITH triple, ends WHERE $asked.names <> [] AND $relationSharpness > 0
    WITH ends, triple, 2 * vector.similarity.cosine(triple.embedding, $asked.rest) - 1 AS score WHERE score IS NOT NULL
    UNWIND ends AS entity
    WITH entity, triple, score ORDER BY score DESC, triple.id
    WITH entity, head(collect(triple)) AS triple, max(score) AS score
    RETURN collect({entity: entity, triple: triple, score: score}) AS stated, coalesce(min(score), 0.0) - 0.1 AS least
  }
  MATCH (start)<-[:FROM_CHUNK]-(entity:QcgEntity) WHERE none(name IN $asked.names WHERE entity.id IN name.entities)
  WITH seed, entity, least, head([one IN stated WHERE one.entity = entity]) AS one
  WITH seed, collect(DISTINCT {entity: entity, stated: one.triple,
         weight: CASE $asked.names WHEN [] THEN 1.0 ELSE exp($relationSharpness * coalesce(one.score, least)) END}) AS ways
  WITH seed, ways, reduce(sum = 0.0, one IN ways | sum + one.weight) AS whole
  UNWIND ways AS way
  WITH way {.entity, .stated, seed: seed.chunk, name: seed.name} AS way, way.entity AS entity, seed.part / 2 * way.weight / whole AS part
  WHERE COUNT { (entity)-[:FROM_CHUNK]->() } <= $maxEntityDegree
  CALL (entity) {
    MATCH (entity)-[said:FROM_CHUNK]->(chunk:QcgChunk)
    WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
    // Once, even if the chunk spells several names of it.
    WITH chunk, max(CASE $asked.names WHEN [] THEN 1.0 ELSE coalesce(said.about, 0.1) ^ $aboutPower END) AS weight
    WITH collect({chunk: chunk, weight: weight}) AS ends
    RETURN ends, reduce(sum = 0.0, end IN ends | sum + end.weight) AS whole
  }
  UNWIND ends AS end
  WITH way, end.chunk AS chunk, part * end.weight / whole AS part
  WITH chunk, sum(part) AS reached, max(CASE WHEN way.seed <> chunk THEN [part, way] END) AS way // over which most comes
  WITH chunk, reached, way ORDER BY reached DESC, chunk.id
  RETURN collect({chunk: chunk, reached: reached, way: way}) AS came
}
UNWIND before + [place IN range(0, size(came) - 1) | {chunk: came[place].chunk, reached: came[place].reached, way: came[place].way,
  floor: floor, gain: 0.0, parts: [], name: null, part: CASE WHEN $asked.names <> [] AND place < $furtherChunks THEN came[place].reached ELSE 0.0 END}] AS row
RETURN row.chunk AS chunk, row.floor AS floor, row.gain AS gain, row.parts AS parts, row.part AS part, row.name AS name, row.reached AS reached, row.way AS way
