// The chunks of these documents, how each was embedded, its entities, its copies, and the later stages that made something of it.
// $documents: LIST<STRING>  ids of documents
UNWIND $documents AS id
MATCH (document:QcgDocument {id: id})<-[:FROM_DOCUMENT]-(chunk:QcgChunk)
RETURN document.id AS document, chunk.id AS id, chunk.embeddedAs AS embeddedAs,
       CASE WHEN EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgQuery) } THEN ['generate'] ELSE [] END +
       CASE WHEN EXISTS { (chunk)<-[:FROM_CHUNK]-(:QcgEntity|QcgAtom|QcgClaim) } THEN ['extract'] ELSE [] END AS stages,
       COLLECT { MATCH (chunk)<-[:FROM_CHUNK]-(entity:QcgEntity) RETURN entity.id } AS entities,
       COLLECT { MATCH (chunk)<-[:SAME_TEXT_AS]-(copy:QcgChunk) RETURN copy.id } AS copies
ORDER BY document, chunk.index
