// The names in a question that have a page of their own, for qcg.score.layers: the entities that bear a name, the one of its page, the chunks that it is about most with what is said there.
// $question: STRING  the question as asked
// $pageShare: FLOAT  share of what all chunks say about a name that its page must hold
// $walkSeeds: INTEGER  how many chunks of a name the walk begins at
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
WITH reduce(letters = '', sign IN split(normalize(left($question, 2000), NFKD), '') | letters + CASE
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
RETURN name, entities, said[0].entity AS entity, said[..$walkSeeds] AS pages
ORDER BY start
