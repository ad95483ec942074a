// A part of the graph to look at: the first documents with what is made from them, and the communities of their entities.
// $documents: INTEGER  how many documents
// $queries: INTEGER  how many queries of a chunk
MATCH (document:Document)
WITH document ORDER BY document.id LIMIT $documents
MATCH fromDocument = (document)<-[:FROM_DOCUMENT]-(chunk:Chunk)
CALL (chunk) {
  MATCH path = (chunk)<-[:FROM_CHUNK]-(query:Query)
  WITH path, query ORDER BY query.similarity DESC, query.id LIMIT $queries
  RETURN path
  UNION
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:Entity|Atom|Claim)
  RETURN path
  UNION
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:Entity)-[:IN_COMMUNITY]->(:Community {level: 0})
  RETURN path
}
RETURN fromDocument, collect(path) AS paths
