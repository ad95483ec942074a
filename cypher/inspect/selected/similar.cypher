// What is most like the selected queries and entities: nearest queries and synonyms, as a graph.
// $nodes: LIST<STRING>  the element ids of what is selected
MATCH (start:Query|Entity)
WHERE elementId(start) IN $nodes
MATCH path = (start)-[:SIMILAR_TO|SYNONYM_OF]-(:Query|Entity)
RETURN path
