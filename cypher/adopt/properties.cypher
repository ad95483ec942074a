// What nodes of others have: a row per label and property, from a sample of the nodes of each label; ours are left out.
// $sample: INTEGER  how many nodes of a label are looked at
// $own: LIST<STRING>  properties that adopting adds
CALL db.labels() YIELD label
WHERE NOT label STARTS WITH 'Qcg' AND NOT label STARTS WITH '_'
CALL (label) {
  MATCH (node:$(label))
  WHERE node.qcgAdded IS NOT NULL OR none(mark IN labels(node) WHERE mark STARTS WITH 'Qcg')
  WITH node LIMIT $sample
  RETURN collect(node) AS nodes
}
UNWIND nodes AS node
UNWIND keys(node) AS property
WITH label, nodes, node, property
WHERE NOT property IN $own AND NOT property IN coalesce(node.qcgAdded, [])
WITH label, nodes, property, node[property] AS value
WITH label, nodes, property, value, CASE
    WHEN value IS :: STRING NOT NULL THEN 'text'
    WHEN value IS :: INTEGER NOT NULL THEN 'integer'
    WHEN value IS :: LIST<FLOAT NOT NULL> NOT NULL AND size(value) > 1 THEN 'vector'
    ELSE 'other' END AS kind
RETURN label, size(nodes) AS nodes, property, kind, count(*) AS number,
       max(CASE kind WHEN 'vector' THEN size(value) END) AS dimension,
       toInteger(avg(CASE kind WHEN 'text' THEN size(value) END)) AS characters,
       '__KGBuilder__' IN labels(head(nodes)) AS builder
ORDER BY label, property, kind
