// One row if a projected graph of that name was there; it is not any more.
// $projection: STRING  the name of the projected graph
CALL gds.graph.drop($projection, false) YIELD graphName
RETURN graphName AS name
