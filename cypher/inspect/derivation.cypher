// Everything that was made from a document: chunks, windows, queries, entities, triples, atoms, claims, as a graph.
// $document: STRING  the document's id
MATCH fromDocument = (:Document {id: $document})<-[:FROM_DOCUMENT]-(chunk:Chunk)
OPTIONAL MATCH next = (chunk)-[:NEXT_CHUNK]->(:Chunk)
CALL (chunk) {
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:Window|Query|Entity|Atom|Claim)
  RETURN path
  UNION
  MATCH path = (:Entity)-[triple:RELATED_TO]->(:Entity)
  WHERE triple.chunkId = chunk.id
  RETURN path
  UNION
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:Atom|Claim)-[:MENTIONS|ABOUT]->(entity:Entity)
  WHERE EXISTS { (entity)-[:FROM_CHUNK]->(chunk) }
  RETURN path
  UNION
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:Atom)<-[:ANSWERED_BY]-(:SyntheticQuery)
  RETURN path
}
WITH chunk, fromDocument, next, collect(path) AS derived
RETURN fromDocument, next, derived
ORDER BY chunk.index
