// No rows; forgets the projected graphs of a kind, as runs that were killed have left them.
// $prefix: STRING  what their names begin with
CALL gds.graph.list() YIELD graphName
WHERE graphName STARTS WITH $prefix
CALL gds.graph.drop(graphName, false) YIELD graphName AS dropped
FINISH
