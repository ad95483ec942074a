// The relationships of a graph with the ids of their ends, for a client that makes the same graph.
// $found: LIST<MAP>  rows of build/graph_relationships: source, target, type, weight
UNWIND $found AS found WITH found.source AS source, found.target AS target, found.type AS type, found.weight AS weight
RETURN elementId(source) AS source, elementId(target) AS target, type, weight
