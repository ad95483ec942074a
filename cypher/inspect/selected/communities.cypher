// The communities of the selected entities, up to the root, as a graph.
// $nodes: LIST<STRING>  the element ids of what is selected
MATCH (entity:Entity)
WHERE elementId(entity) IN $nodes
MATCH member = (entity)-[:IN_COMMUNITY]->(community:Community)
OPTIONAL MATCH parent = (community)-[:PARENT]->(:Community)
RETURN member, parent
