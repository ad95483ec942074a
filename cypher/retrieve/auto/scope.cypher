// One row: which entities a question names, and whether there are reports (for questions about the whole collection).
// $question: STRING  the question as asked, in which names of entities are looked for; '' to look for none
// $permitted: LIST<STRING> | NULL  ids of the documents whose entities may be named; null for all
WITH reduce(words = toLower($question), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ #', ' ') |
       replace(words, sign, ' ')) AS words
// With and without what an apostrophe parts: the index holds o'brien as one word, and Wolfgang where a question has Wolfgang's.
WITH words + ' ' + replace(replace(words, "'", ' '), '’', ' ') AS words
WITH reduce(terms = '', word IN [word IN split(words, ' ') WHERE word <> ''][..1000] | terms + ' ' + word) AS terms
CALL (terms) {
  WITH terms WHERE terms <> ''
  CALL db.index.fulltext.queryNodes('qcg_entity_name', 'name:(' + terms + ')', CASE WHEN $permitted IS NULL THEN {limit: 200} ELSE {} END)
    YIELD node AS entity
  // A proper name: with a capital letter in the graph, and in the question too where it is a single word. Graphs also hold
  // what is no name (people, events), and Happy is not meant where a question asks who is happy.
  WHERE toLower($question) CONTAINS toLower(entity.name) AND NOT entity.name CONTAINS '\\E'
    AND ($permitted IS NULL OR EXISTS { (entity)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted })
    AND entity.name =~ '(?s).*\\p{Lu}.*' AND (entity.name CONTAINS ' ' OR $question CONTAINS entity.name)
    AND $question =~ '(?isu).*(?<![\\p{L}\\p{N}])\\Q' + entity.name + '\\E(?![\\p{L}\\p{N}]).*'
  WITH entity.name AS name ORDER BY size(name) DESC, name
  RETURN collect(DISTINCT name) AS names
}
RETURN names, EXISTS { MATCH (community:QcgCommunity) WHERE community.report IS NOT NULL } AS hasReports
