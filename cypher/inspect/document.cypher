// A document with its chunks, and the queries made from them, as a graph to look at.
// $document: STRING  the document's id
MATCH path = (:Document {id: $document})<-[:FROM_DOCUMENT]-(chunk:Chunk)
OPTIONAL MATCH queries = (chunk)<-[:FROM_CHUNK]-(:Query)
RETURN path, queries
