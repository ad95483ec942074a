// Atoms with their embeddings and their neighbours, of which a client makes their vectors in the link predictor where none are stored.
// $ids: LIST<STRING>  the atoms
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $ids AS id
MATCH (atom:QcgAtom {id: id})
RETURN id, atom.embedding AS embedding, COLLECT {
         MATCH (atom)-[pair:SIMILAR_TO]-(other:QcgAtom) WHERE pair.score IS NOT NULL AND ($permitted IS NULL OR EXISTS {
           (other)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted })
         RETURN [other.id, pair.score] } AS pairs
