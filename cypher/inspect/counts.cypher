// How many nodes of each kind the graph holds, in the order of the data's way.
// Each number comes from the store of counts: a pattern with a label at both ends would read every relationship.
CALL () {
  RETURN 'Document' AS kind, COUNT { (:QcgDocument) } AS number, 1 AS place
  UNION ALL RETURN 'Chunk' AS kind, COUNT { (:QcgChunk) } AS number, 2 AS place
  UNION ALL RETURN 'Window' AS kind, COUNT { (:QcgWindow) } AS number, 3 AS place
  UNION ALL RETURN 'Query' AS kind, COUNT { (:QcgQuery) } AS number, 4 AS place
  UNION ALL RETURN 'SIMILAR_TO' AS kind, COUNT { (:QcgQuery)-[:SIMILAR_TO]->() } AS number, 5 AS place
  UNION ALL RETURN 'Entity' AS kind, COUNT { (:QcgEntity) } AS number, 6 AS place
  UNION ALL RETURN 'RELATED_TO' AS kind, COUNT { (:QcgEntity)-[:RELATED_TO]->() } AS number, 7 AS place
  UNION ALL RETURN 'SYNONYM_OF' AS kind, COUNT { (:QcgEntity)-[:SYNONYM_OF]->() } AS number, 8 AS place
  UNION ALL RETURN 'Atom' AS kind, COUNT { (:QcgAtom) } AS number, 9 AS place
  UNION ALL RETURN 'Claim' AS kind, COUNT { (:QcgClaim) } AS number, 10 AS place
  UNION ALL RETURN 'Community' AS kind, COUNT { (:QcgCommunity) } AS number, 11 AS place
  UNION ALL RETURN 'SyntheticQuery' AS kind, COUNT { (:QcgSyntheticQuery) } AS number, 12 AS place
  UNION ALL RETURN 'LinkPredictor' AS kind, COUNT { (:QcgLinkPredictor) } AS number, 13 AS place
}
RETURN kind, number
ORDER BY place
