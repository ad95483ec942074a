// The chunks and documents that the selected queries, entities, atoms and claims are from, as a graph.
// $nodes: LIST<STRING>  the element ids of what is selected
MATCH (start:Query|Entity|Atom|Claim)
WHERE elementId(start) IN $nodes
MATCH path = (start)-[:FROM_CHUNK]->(:Chunk)-[:FROM_DOCUMENT]->(:Document)
RETURN path
