// The communities whose reports have a title, with the communities inside them and their entities, as a graph to look at.
// $title: STRING  the title of the report
MATCH (community:Community {title: $title})
OPTIONAL MATCH inside = (community)<-[:PARENT]-(:Community)
MATCH members = (community)<-[:IN_COMMUNITY]-(entity:Entity)
RETURN members, inside
ORDER BY COUNT { (entity)-[:RELATED_TO]-() } DESC
LIMIT 50
