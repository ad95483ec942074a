// The atom-entity graph (AEG) for a walk elsewhere: a row per node, with those that it is joined to, each pair once per kind of relationship.
// $synonyms: BOOLEAN  whether SYNONYM_OF counts
MATCH (node:QcgAtom|QcgEntity)
RETURN CASE WHEN node:QcgAtom THEN 'Atom' ELSE 'Entity' END AS kind, node.id AS id, COLLECT {
  MATCH (node)-[:MENTIONS]->(entity:QcgEntity)
  RETURN DISTINCT [entity.id, 1.0] AS to
  UNION ALL
  MATCH (node)-[triple:RELATED_TO]-(other:QcgEntity)
  WHERE node.id < other.id
  WITH other, count(triple) AS triples
  RETURN [other.id, toFloat(triples)] AS to
  UNION ALL
  MATCH (node)-[synonym:SYNONYM_OF]->(other:QcgEntity)
  WHERE $synonyms AND node <> other
  RETURN [other.id, synonym.score] AS to
} AS entities
