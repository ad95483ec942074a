// One row: how many nodes of a kind there are.
// $kind: STRING  one of their labels
MATCH (node:$($kind))
RETURN count(node) AS number
