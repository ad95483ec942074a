// A page of entities whose descriptions exceed 1,000 characters together and have no summary made of exactly these.
// $after: STRING  the id behind which the page begins; empty for the first
// $until: STRING  the last id that may be among them
// $limit: INTEGER  how many at most
MATCH (entity:QcgEntity)-[statement:FROM_CHUNK]->(:QcgChunk)
WHERE $after < entity.id <= $until AND statement.description <> ''
WITH entity, statement.description AS description, count(*) AS times
ORDER BY times DESC, size(description) DESC, description
WITH entity, collect(description) AS descriptions, sum(size(description) + 1) - 1 AS length
WHERE length > 1000 AND size(descriptions) > 1 AND (entity.summaryOf IS NULL OR entity.summaryOf <> descriptions)
RETURN entity.id AS id, entity.name AS name, descriptions, descriptions AS madeOf
ORDER BY id LIMIT $limit
