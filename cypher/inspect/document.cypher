// A document with its chunks, and the queries, entities and atoms made from them, as a graph to look at.
// $document: STRING  the document's id
MATCH path = (:Document {id: $document})<-[:FROM_DOCUMENT]-(chunk:Chunk)
OPTIONAL MATCH derived = (chunk)<-[:FROM_CHUNK]-(:Query|Entity|Atom|Claim)
RETURN path, derived
