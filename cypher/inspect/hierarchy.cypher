// All communities with the one above each, the lowest level last.
MATCH (community:QcgCommunity)
OPTIONAL MATCH (community)-[:PARENT]->(parent:QcgCommunity)
OPTIONAL MATCH (community)<-[:IN_COMMUNITY]-(entity:QcgEntity)
WITH community, parent, entity, COUNT { (entity)-[:RELATED_TO]-() } AS degree ORDER BY degree DESC, entity.id
WITH community, parent, head(collect(entity.name)) AS central
RETURN community.id AS id, community.level AS level, community.size AS size, parent.id AS parent,
       coalesce(community.title, central) AS title, community.rating AS rating
ORDER BY level, id
