// One row: what the plug-in holds of a part of the graph in memory.
// $part: STRING  'atoms', 'network' or 'triples'
CALL qcg.snapshot() YIELD part, condition, current, bytes
WHERE part = $part
RETURN condition, current, bytes
