// What is made from the selected documents and chunks: chunks, queries, entities, atoms and claims, as a graph.
// $nodes: LIST<STRING>  the element ids of what is selected
MATCH (start:QcgDocument|QcgChunk)
WHERE elementId(start) IN $nodes
MATCH path = (start)<-[:FROM_DOCUMENT|FROM_CHUNK]-(:QcgChunk|QcgQuery|QcgEntity|QcgAtom|QcgClaim)
RETURN path
