// What is most like the selected queries, atoms and entities: the nearest ones and synonyms, as a graph.
// $nodes: LIST<STRING>  the element ids of what is selected
MATCH (start:QcgQuery|QcgEntity|QcgAtom)
WHERE elementId(start) IN $nodes
MATCH path = (start)-[:SIMILAR_TO|SYNONYM_OF]-(:QcgQuery|QcgEntity|QcgAtom)
RETURN path
