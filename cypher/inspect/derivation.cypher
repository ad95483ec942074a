// Everything that was made from a document: chunks, windows, queries, entities, triples, atoms, claims, as a graph.
// $document: STRING  the document's id
MATCH fromDocument = (:QcgDocument {id: $document})<-[:FROM_DOCUMENT]-(chunk:QcgChunk)
OPTIONAL MATCH next = (chunk)-[:NEXT_CHUNK]->(:QcgChunk)
CALL (chunk) {
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:QcgWindow|QcgQuery|QcgEntity|QcgAtom|QcgClaim)
  RETURN path
  UNION
  MATCH path = (:QcgEntity)-[triple:RELATED_TO]->(:QcgEntity)
  WHERE triple.chunkId = chunk.id
  RETURN path
  UNION
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:QcgAtom|QcgClaim)-[:MENTIONS|ABOUT]->(entity:QcgEntity)
  WHERE EXISTS { (entity)-[:FROM_CHUNK]->(chunk) }
  RETURN path
  UNION
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:QcgAtom)<-[:ANSWERED_BY]-(:QcgSyntheticQuery)
  RETURN path
}
WITH chunk, fromDocument, next, collect(path) AS derived
RETURN fromDocument, next, derived
ORDER BY chunk.index
