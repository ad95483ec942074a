// One row: what the plug-in holds of the graph in memory.
CALL qcg.snapshot() YIELD condition, current, bytes
RETURN condition, current, bytes
