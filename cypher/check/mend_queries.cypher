// No rows; of several SIMILAR_TO from a query to another the first stays, of more neighbours than wanted the nearest.
// $neighbours: INTEGER  how many nearest neighbours each query has (k); 0 if that is not known
MATCH (query:QcgQuery)
CALL (query) {
  MATCH (query)-[edge:SIMILAR_TO]->(other:QcgQuery)
  WITH other, edge ORDER BY edge.rank
  WITH other, collect(edge) AS edges
  FOREACH (edge IN edges[1..] | DELETE edge)
  WITH other, edges[0] AS edge ORDER BY edge.score DESC, other.id
  WITH collect(edge) AS nearest
  WITH nearest, CASE WHEN $neighbours > 0 THEN $neighbours ELSE size(nearest) END AS wanted
  FOREACH (edge IN nearest[wanted..] | DELETE edge)
  FOREACH (place IN range(0, size(nearest[..wanted]) - 1) |
    FOREACH (edge IN [nearest[place]] | SET edge.rank = place + 1))
} IN TRANSACTIONS OF 1000 ROWS
