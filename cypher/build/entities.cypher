// One row: how many entities there are, how many of them have no vector, and how many can have synonyms.
MATCH (entity:QcgEntity)
RETURN count(entity) AS entities, sum(CASE WHEN entity.embedding IS NULL THEN 1 ELSE 0 END) AS withoutEmbedding,
       // A name of three or fewer letters or digits, of whatever script, is like too many others.
       sum(CASE WHEN entity.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*' THEN 1 ELSE 0 END) AS named
