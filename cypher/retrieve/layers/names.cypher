// The names in a question that have a page of their own, a chunk that holds most of what is said about them: who bears each, with a vector, and its pages.
// $question: STRING  the question as asked
// $pageShare: FLOAT  share of what all chunks say about a name that its page must hold
// $walkSeeds: INTEGER  how many chunks of a name the walk begins at
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
WITH reduce(letters = '', sign IN split(normalize(left($question, 2000), NFKD), '') | letters + CASE
       WHEN sign =~ '\\p{M}' THEN '' WHEN sign =~ '[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}\\p{IsLao}\\p{IsKhmer}\\p{IsMyanmar}]'
       THEN ' ' + sign + ' ' WHEN sign =~ '[\\p{L}\\p{N}]' THEN sign ELSE ' ' END) AS letters
WITH [word IN split(letters, ' ') WHERE word <> ''] AS words
// A proper name has a capital letter, in the graph and here; the first word of a question has one anyway. In a script
// without such letters it has a type, and in German, where every noun has one, a type that says more than "concept".
UNWIND range(0, size(words) - 1) AS start
UNWIND range(start + 1, CASE WHEN start + 12 < size(words) THEN start + 12 ELSE size(words) END) AS end
WITH start, end, words[start..end] AS part WHERE any(place IN range(start, end - 1) WHERE place > 0 AND words[place] =~ '\\p{Lu}.*' OR words[place] =~ '\\p{Lo}.*')
WITH start, end, toLower(substring(reduce(name = '', word IN part | name + ' ' + word), 1)) AS written
// Korean writes particles (subject, object, place …) at the end of a name: with and without each.
UNWIND [written] + CASE WHEN written =~ '.*[\\u1161-\\u11FF]' THEN
  [particle IN split(normalize('은 는 이 가 을 를 의 에 에게 에서 에는 한테 께 께서 와 과 랑 이랑 로 으로 도 만 부터 까지 보다 처럼', NFKD), ' ')
   WHERE written ENDS WITH particle AND size(written) > size(particle) | left(written, size(written) - size(particle))]
  ELSE [] END AS name
CALL (name) {
  MATCH (entity:QcgEntity)
  WHERE (entity.spelling = name OR entity.shortSpelling = name) AND entity.name =~ '(?s).*[\\p{Lu}\\p{Lo}].*'
  RETURN entity
  UNION
  MATCH (alias:QcgAlias)-[:ALIAS_OF]->(entity:QcgEntity)
  WHERE (alias.spelling = name OR alias.shortSpelling = name) AND alias.name =~ '(?s).*[\\p{Lu}\\p{Lo}].*'
  RETURN entity
}
WITH start, end, name, entity
WHERE (entity.name =~ '(?s).*\\p{Lu}.*' OR entity.type <> '')
  AND NOT (entity.type IN ['', 'concept'] AND EXISTS { (corpus:QcgCorpus {id: 'corpus'}) WHERE corpus.language IN ['de', 'lb'] })
  AND COUNT { (entity)-[:FROM_CHUNK]->() } <= 100
MATCH (entity)-[said:FROM_CHUNK]->(chunk:QcgChunk)
WHERE $permitted IS NULL OR EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
// An entity is called as the chunk spells it: elsewhere it may have another name.
WITH start, end, name, entity, chunk, coalesce(said.about, 0.1) AS about, CASE WHEN $permitted IS NULL THEN entity.name ELSE said.name END AS called
ORDER BY about DESC, entity.id
WITH start, end, name, chunk, collect(entity) AS entities, head(collect(called)) AS called, max(about) AS about ORDER BY about DESC, chunk.id
WITH start, end, name, collect({id: chunk.id, about: about, entity: entities[0], called: called}) AS pages, collect(entities) AS entities
ORDER BY end - start DESC, start
// The longest first; what overlaps with a longer one is none.
WITH collect({start: start, end: end, name: name, pages: pages, entities: entities}) AS found
WITH reduce(kept = [], one IN found | kept + CASE
       WHEN any(other IN kept WHERE other.start < one.end AND one.start < other.end) THEN [] ELSE [one] END) AS kept
UNWIND kept AS one
WITH one ORDER BY one.start
WITH one.name AS name, head(collect(one)) AS one
WITH name, one, one.pages[0].entity AS entity, reduce(sum = 0.0, page IN one.pages | sum + page.about ^ 2) AS whole
WHERE one.pages[0].about >= 0.8 AND one.pages[0].about ^ 2 >= $pageShare * whole
RETURN name, reduce(ids = [], of IN one.entities | ids + [entity IN of WHERE NOT entity.id IN ids | entity.id]) AS entities, entity.id AS entity,
       one.pages[0].called AS called, entity.embedding AS vector, [page IN one.pages[..$walkSeeds] | page {.id, .about}] AS pages
ORDER BY one.start
