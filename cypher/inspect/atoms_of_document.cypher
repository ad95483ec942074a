// The way from a document over its chunks to their atoms, and the entities that these mention, as a graph to look at.
// $document: STRING  the document's title, or its id
MATCH (document:Document)
WHERE document.title = $document OR document.id = $document
MATCH path = (document)<-[:FROM_DOCUMENT]-(:Chunk)<-[:FROM_CHUNK]-(atom:Atom)
OPTIONAL MATCH mentions = (atom)-[:MENTIONS]->(:Entity)
RETURN path, mentions
