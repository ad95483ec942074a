// The communities of the selected entities, up to the root, as a graph.
// $nodes: LIST<STRING>  the element ids of what is selected
MATCH (entity:QcgEntity)
WHERE elementId(entity) IN $nodes
MATCH member = (entity)-[:IN_COMMUNITY]->(community:QcgCommunity)
OPTIONAL MATCH parent = (community)-[:PARENT]->(:QcgCommunity)
RETURN member, parent
