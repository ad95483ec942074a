// One row: how many entities an interrupted search for synonyms has already gone through.
// $cursor: STRING  the id of the last of them; '' for none
MATCH (entity:QcgEntity)
WHERE entity.id <= $cursor
RETURN count(entity) AS entities
