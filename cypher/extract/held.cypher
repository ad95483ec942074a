// Per chunk the entities that it states, and the texts and vectors of its relations and atoms.
// $chunkIds: LIST<STRING>  the ids of the chunks
UNWIND $chunkIds AS chunkId
CALL (chunkId) {
  MATCH (:QcgChunk {id: chunkId})<-[:FROM_CHUNK]-(entity:QcgEntity)
  RETURN collect(entity.id) AS entities
}
CALL (chunkId) {
  MATCH (:QcgChunk {id: chunkId})<-[:FROM_CHUNK]-(atom:QcgAtom)
  RETURN collect({text: atom.text, embedding: atom.embedding}) AS atoms
}
CALL (chunkId) {
  MATCH ()-[relation:RELATED_TO {chunkId: chunkId}]->()
  RETURN collect({text: relation.ttr, embedding: relation.embedding}) AS relations
}
RETURN chunkId, entities, atoms + relations AS texts
