// A part of the graph to look at: the first documents with what is made from them, and the communities of their entities.
// $documents: INTEGER  how many documents
// $queries: INTEGER  how many queries of a chunk
MATCH (document:QcgDocument)
WITH document ORDER BY document.id LIMIT $documents
MATCH fromDocument = (document)<-[:FROM_DOCUMENT]-(chunk:QcgChunk)
CALL (chunk) {
  MATCH path = (chunk)<-[:FROM_CHUNK]-(query:QcgQuery)
  WITH path, query ORDER BY query.similarity DESC, query.id LIMIT $queries
  RETURN path
  UNION
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:QcgEntity|QcgAtom|QcgClaim)
  RETURN path
  UNION
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:QcgEntity)-[:IN_COMMUNITY]->(:QcgCommunity {level: 0})
  RETURN path
}
RETURN fromDocument, collect(path) AS paths
