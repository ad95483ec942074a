// What is made from the selected documents and chunks: chunks, queries, entities, atoms and claims, as a graph.
// $nodes: LIST<STRING>  the element ids of what is selected
MATCH (start:Document|Chunk)
WHERE elementId(start) IN $nodes
MATCH path = (start)<-[:FROM_DOCUMENT|FROM_CHUNK]-(:Chunk|Query|Entity|Atom|Claim)
RETURN path
