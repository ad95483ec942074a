// What the layers add to each chunk, and where the walk begins: at the best chunks and at the pages of names.
// $found: LIST<MAP>  rows of retrieve/layers/hits: layer, place (of the question, or of what is left of it), chunk, hit, score
// $asked: MAP  questions: the question, and perhaps what is left of it without its names, each a vector of unit length and words that are not searched for (without); names: rows of retrieve/layers/names; dates: days of the question; rest: the question's vector without what it shares with them
// $queryWeight: FLOAT  weight of the best query's cosine
// $windowWeight: FLOAT  weight of the best window's
// $atomWeight: FLOAT  weight of the best atom's
// $tripleWeight: FLOAT  weight of the best triple's
// $fulltextWeight: FLOAT  weight of BM25, as a share of the question's best
// $expandedWeight: FLOAT  weight of BM25 over the text with its queries, atoms and triples, as a share of the best
// $dateWeight: FLOAT  weight of a day of the question that the chunk is about
// $walkWeight: FLOAT  weight of being reached over shared entities; 0 does not walk
// $walkSeeds: INTEGER  how many of the best chunks the walk begins at
// $nameShare: FLOAT  with names: share of the walk that begins at their pages
// $aboutPower: FLOAT  with names: the walk prefers chunks by how much they are about an entity, to this power
UNWIND $found AS found WITH found.layer AS layer, found.place AS place, found.chunk AS chunk, found.hit AS hit, found.score AS score
// BM25 has no upper end and counts as a share. A chunk without a hit counts as the last one, without a common word as 0.
WITH layer, collect({place: place, chunk: chunk, hit: hit, score: score}) AS hits, max(CASE place WHEN 0 THEN score END) AS most, min(score) AS last,
     layer IN ['words', 'expandedWords', 'dates'] AS isWords, {Query: $queryWeight, Window: $windowWeight, Atom: $atomWeight, RELATED_TO: $tripleWeight,
       words: $fulltextWeight, expandedWords: $expandedWeight, dates: $dateWeight}[layer] AS weight
WITH layer, hits, weight, CASE WHEN isWords THEN most ELSE 1.0 END AS unit, CASE WHEN isWords THEN 0.0 ELSE last END AS least
WITH collect({layer: layer, hits: hits, weight: weight, unit: unit, least: least}) AS layers, sum(weight * least) AS floor
UNWIND layers AS one
UNWIND one.hits AS hit
WITH floor, one {.layer, .weight, .least} AS layer, hit.place AS place, hit.chunk AS chunk, max([hit.score / one.unit, hit.hit]) AS best
WITH floor, place, chunk, sum(layer.weight * (best[0] - layer.least)) AS gain,
     collect({layer: layer.layer, hit: best[1], score: best[0], share: layer.weight * best[0]}) AS parts
WITH coalesce(max(floor), 0.0) AS floor, collect({place: place, chunk: chunk, gain: gain, parts: parts}) AS found, max(place) AS rest
CALL (found) {
  UNWIND CASE WHEN $walkWeight > 0 THEN found END AS one
  WITH one.chunk AS chunk, one.gain AS gain, one.place AS place
  WHERE place = 0 AND ($asked.names <> [] OR chunk.namesOnly IS NULL) // names that no model has read lead anywhere
  WITH chunk, gain ORDER BY gain DESC, chunk.id LIMIT $walkSeeds
  WITH collect({chunk: chunk, gain: gain}) AS best
  RETURN best, reduce(sum = 0.0, one IN best | sum + exp((one.gain - best[0].gain) / 0.2)) AS promised
}
CALL () {
  UNWIND $asked.names AS name
  UNWIND name.pages AS page
  MATCH (chunk:QcgChunk {id: page.id})
  RETURN collect({chunk: chunk, name: name.entity, isPage: page = name.pages[0], part: $nameShare / size($asked.names) * page.about ^ $aboutPower
    / reduce(sum = 0.0, one IN name.pages | sum + one.about ^ $aboutPower)}) AS pages
}
WITH floor, found, rest, [page IN pages WHERE page.isPage | page.chunk] AS whole, pages + [one IN best | {chunk: one.chunk,
  part: CASE $asked.names WHEN [] THEN 1 ELSE 1 - $nameShare END * exp((one.gain - best[0].gain) / 0.2) / promised}] AS seeds
CALL (found, rest, whole, seeds) {
  UNWIND found AS one
  WITH one WHERE one.place = CASE WHEN one.chunk IN whole THEN 0 ELSE rest END
  RETURN one.chunk AS chunk, one.gain AS gain, one.parts AS parts, 0.0 AS part, null AS name
  UNION ALL
  UNWIND seeds AS seed
  RETURN seed.chunk AS chunk, 0.0 AS gain, [] AS parts, seed.part AS part, seed.name AS name
}
RETURN chunk, floor, gain, parts, part, name, part AS reached, CASE WHEN name IS NOT NULL THEN [part, {name: name}] END AS way
