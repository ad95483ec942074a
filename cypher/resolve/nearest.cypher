// The entities whose names are nearest to those of a page, with the cosine.
// $ids: LIST<STRING>  ids of the entities of the page
// $neighbours: INTEGER  how many to look at for each
UNWIND $ids AS id
MATCH (entity:QcgEntity {id: id})
WHERE entity.embedding IS NOT NULL
CALL db.index.vector.queryNodes('qcg_entity_embedding', $neighbours + 1, entity.embedding) YIELD node AS other, score
WITH entity, other, score
WHERE other <> entity
RETURN entity.id AS id, other.id AS other, 2 * score - 1 AS similarity
ORDER BY id, other
