// No rows; forgets a projected graph, if it is there.
// $projection: STRING  its name
CALL gds.graph.drop($projection, false) YIELD graphName
FINISH
