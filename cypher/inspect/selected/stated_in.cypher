// The chunks and documents that the selected queries, entities, atoms and claims are from, as a graph.
// $nodes: LIST<STRING>  the element ids of what is selected
MATCH (start:QcgQuery|QcgEntity|QcgAtom|QcgClaim)
WHERE elementId(start) IN $nodes
MATCH path = (start)-[:FROM_CHUNK]->(:QcgChunk)-[:FROM_DOCUMENT]->(:QcgDocument)
RETURN path
