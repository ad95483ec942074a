// One row: how many nodes the database holds.
MATCH (node)
RETURN count(node) AS nodes
