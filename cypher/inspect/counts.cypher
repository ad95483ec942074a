// How many nodes of each kind the graph holds, in the order of the data's way.
CALL () {
  RETURN 'Document' AS kind, COUNT { (:Document) } AS number, 1 AS place
  UNION ALL RETURN 'Chunk' AS kind, COUNT { (:Chunk) } AS number, 2 AS place
  UNION ALL RETURN 'Window' AS kind, COUNT { (:Window) } AS number, 3 AS place
  UNION ALL RETURN 'Query' AS kind, COUNT { (:Query) } AS number, 4 AS place
  UNION ALL RETURN 'SIMILAR_TO' AS kind, COUNT { (:Query)-[:SIMILAR_TO]->(:Query) } AS number, 5 AS place
  UNION ALL RETURN 'Entity' AS kind, COUNT { (:Entity) } AS number, 6 AS place
  UNION ALL RETURN 'RELATED_TO' AS kind, COUNT { ()-[:RELATED_TO]->() } AS number, 7 AS place
  UNION ALL RETURN 'SYNONYM_OF' AS kind, COUNT { (:Entity)-[:SYNONYM_OF]->(:Entity) } AS number, 8 AS place
  UNION ALL RETURN 'Atom' AS kind, COUNT { (:Atom) } AS number, 9 AS place
  UNION ALL RETURN 'Claim' AS kind, COUNT { (:Claim) } AS number, 10 AS place
  UNION ALL RETURN 'Community' AS kind, COUNT { (:Community) } AS number, 11 AS place
  UNION ALL RETURN 'SyntheticQuery' AS kind, COUNT { (:SyntheticQuery) } AS number, 12 AS place
  UNION ALL RETURN 'LinkPredictor' AS kind, COUNT { (:LinkPredictor) } AS number, 13 AS place
}
RETURN kind, number
ORDER BY place
