// The subgraph of an answer as a graph to look at: its triples, and the chunks that state them.
// $tripleIds: LIST<STRING>  the ids of the triples, as the evidence of kg-cqr lists them
MATCH (source:QcgEntity)-[triple:RELATED_TO]->(target:QcgEntity)
WHERE triple.id IN $tripleIds
MATCH (chunk:QcgChunk {id: triple.chunkId})-[fromDocument:FROM_DOCUMENT]->(document:QcgDocument)
MATCH (source)-[stated:FROM_CHUNK]->(chunk)
RETURN source, triple, target, stated, chunk, fromDocument, document
