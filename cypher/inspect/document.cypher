// A document with its chunks, and the queries, entities and atoms made from them, as a graph to look at.
// $document: STRING  the document's id
MATCH path = (:QcgDocument {id: $document})<-[:FROM_DOCUMENT]-(chunk:QcgChunk)
OPTIONAL MATCH derived = (chunk)<-[:FROM_CHUNK]-(:QcgQuery|QcgEntity|QcgAtom|QcgClaim)
RETURN path, derived
