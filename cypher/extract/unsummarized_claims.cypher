// A page of entities whose claims exceed 1,000 characters together and have no summary made of exactly these.
// $after: STRING  the id behind which the page begins; empty for the first
// $until: STRING  the last id that may be among them
// $limit: INTEGER  how many at most
MATCH (entity:QcgEntity)<-[:ABOUT]-(claim:QcgClaim)
WHERE $after < entity.id <= $until
WITH DISTINCT entity, claim ORDER BY claim.id
WITH entity, collect(claim.id) AS ids, collect(claim.type + CASE claim.status WHEN '' THEN '' ELSE ', ' + claim.status END + ': ' + claim.description) AS texts
WHERE size(texts) > 1 AND reduce(length = 0, text IN texts | length + size(text)) > 1000
  AND (entity.claimSummaryOf IS NULL OR entity.claimSummaryOf <> ids)
RETURN entity.id AS id, entity.name AS name, texts AS descriptions, ids AS madeOf
ORDER BY id LIMIT $limit
