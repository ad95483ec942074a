// The chunks of these documents, how each was embedded, its entities, and the later stages that made something of it.
// $documents: LIST<STRING>  ids of documents
UNWIND $documents AS id
MATCH (document:Document {id: id})<-[:FROM_DOCUMENT]-(chunk:Chunk)
RETURN document.id AS document, chunk.id AS id, chunk.embeddedAs AS embeddedAs,
       CASE WHEN EXISTS { (chunk)<-[:FROM_CHUNK]-(:Query) } THEN ['generate'] ELSE [] END +
       CASE WHEN EXISTS { (chunk)<-[:FROM_CHUNK]-(:Entity|Atom|Claim) } THEN ['extract'] ELSE [] END AS stages,
       COLLECT { MATCH (chunk)<-[:FROM_CHUNK]-(entity:Entity) RETURN entity.id } AS entities
ORDER BY document, chunk.index
