// No rows; gives entities and their aliases the words of their names as questions are searched for them, with and without what follows in brackets.
// $ids: LIST<STRING>  ids of entities
UNWIND $ids AS id
MATCH (entity:QcgEntity {id: id})
UNWIND [entity] + COLLECT { MATCH (alias:QcgAlias)-[:ALIAS_OF]->(entity) RETURN alias } AS named
WITH named, [name IN [named.name, split(named.name, '(')[0]] |
       reduce(letters = '', sign IN split(normalize(toLower(name), NFKD), '') | letters + CASE
         WHEN sign =~ '\\p{M}' THEN '' WHEN sign =~ '[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}\\p{IsLao}\\p{IsKhmer}\\p{IsMyanmar}]'
         THEN ' ' + sign + ' ' WHEN sign =~ '[\\p{L}\\p{N}]' THEN sign ELSE ' ' END)] AS names
WITH named, [name IN names |
       reduce(words = '', word IN [word IN split(name, ' ') WHERE word <> ''] | words + ' ' + word)] AS names
WITH named, substring(names[0], 1) AS spelling, substring(names[1], 1) AS shortSpelling
WITH named, spelling, CASE shortSpelling WHEN '' THEN spelling ELSE shortSpelling END AS shortSpelling
WHERE named.spelling IS NULL OR named.spelling <> spelling OR named.shortSpelling <> shortSpelling
SET named.spelling = spelling, named.shortSpelling = shortSpelling
