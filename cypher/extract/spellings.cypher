// No rows; gives entities the words of their name as questions are searched for them, with and without what follows in brackets.
// $ids: LIST<STRING>  ids of entities
UNWIND $ids AS id
MATCH (entity:QcgEntity {id: id})
WITH entity, [name IN [entity.name, split(entity.name, '(')[0]] |
       reduce(letters = '', sign IN split(normalize(toLower(name), NFKD), '') | letters + CASE
         WHEN sign =~ '\\p{M}' THEN '' WHEN sign =~ '[\\p{L}\\p{N}]' THEN sign ELSE ' ' END)] AS names
WITH entity, [name IN names |
       reduce(words = '', word IN [word IN split(name, ' ') WHERE word <> ''] | words + ' ' + word)] AS names
WITH entity, substring(names[0], 1) AS spelling, substring(names[1], 1) AS shortSpelling
WITH entity, spelling, CASE shortSpelling WHEN '' THEN spelling ELSE shortSpelling END AS shortSpelling
WHERE entity.spelling IS NULL OR entity.spelling <> spelling OR entity.shortSpelling <> shortSpelling
SET entity.spelling = spelling, entity.shortSpelling = shortSpelling
