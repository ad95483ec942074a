// The triples between the selected entities, as a graph.
// $nodes: LIST<STRING>  the element ids of what is selected
MATCH path = (one:QcgEntity)-[:RELATED_TO]->(other:QcgEntity)
WHERE elementId(one) IN $nodes AND elementId(other) IN $nodes
RETURN path
