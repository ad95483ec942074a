// The communities whose reports have a title, with the communities inside them and their entities, as a graph to look at.
// $title: STRING  the title of the report
MATCH (community:QcgCommunity {title: $title})
OPTIONAL MATCH inside = (community)<-[:PARENT]-(:QcgCommunity)
MATCH members = (community)<-[:IN_COMMUNITY]-(entity:QcgEntity)
RETURN members, inside
ORDER BY COUNT { (entity)-[:RELATED_TO]-() } DESC
LIMIT 50
