// The subgraph of an answer as a graph to look at: its triples, and the chunks that state them.
// $tripleIds: LIST<STRING>  the ids of the triples, as the evidence of kg-cqr lists them
MATCH (source:Entity)-[triple:RELATED_TO]->(target:Entity)
WHERE triple.id IN $tripleIds
MATCH (chunk:Chunk {id: triple.chunkId})-[fromDocument:FROM_DOCUMENT]->(document:Document)
MATCH (source)-[stated:FROM_CHUNK]->(chunk)
RETURN source, triple, target, stated, chunk, fromDocument, document
