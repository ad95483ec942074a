// No rows; of several SIMILAR_TO between two atoms, or SYNONYM_OF between two entities, one stays.
MATCH (one:QcgAtom|QcgEntity)
CALL (one) {
  MATCH (one)-[edge:SIMILAR_TO|SYNONYM_OF]-(other)
  WHERE one.id < other.id AND (one:QcgAtom AND other:QcgAtom OR one:QcgEntity AND other:QcgEntity)
  // That from the lower id, as it is made.
  WITH other, edge ORDER BY startNode(edge).id
  WITH other, collect(edge) AS edges
  FOREACH (edge IN edges[1..] | DELETE edge)
} IN TRANSACTIONS OF 1000 ROWS
