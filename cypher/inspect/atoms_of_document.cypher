// The way from a document over its chunks to their atoms, and the entities that these mention, as a graph to look at.
// $document: STRING  the document's title, or its id
MATCH (document:QcgDocument)
WHERE document.title = $document OR document.id = $document
MATCH path = (document)<-[:FROM_DOCUMENT]-(:QcgChunk)<-[:FROM_CHUNK]-(atom:QcgAtom)
OPTIONAL MATCH mentions = (atom)-[:MENTIONS]->(:QcgEntity)
RETURN path, mentions
