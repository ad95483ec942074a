// A page of the nodes of a kind, by id: its ids, labels and vector.
// $kind: STRING  'Query', 'Entity' or 'Atom'
// $after: STRING  the id that the page begins behind; '' for the first
// $limit: INTEGER  how many rows the page has
CALL () {
  WITH * WHERE $kind = 'Query'
  MATCH (node:QcgQuery) WHERE node.id > $after
  RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH * WHERE $kind = 'Entity'
  MATCH (node:QcgEntity) WHERE node.id > $after
  RETURN node ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH * WHERE $kind = 'Atom'
  MATCH (node:QcgAtom) WHERE node.id > $after
  RETURN node ORDER BY node.id LIMIT $limit
}
RETURN node.id AS id,
       // A name of three or fewer letters or digits has no synonyms.
       CASE WHEN $kind = 'Entity' AND node.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*' THEN ['Entity', 'Named'] ELSE [$kind] END AS labels,
       elementId(node) AS element, node.embedding AS embedding
ORDER BY id
