// A chunk with what is around it: its document, the chunks beside it, what is made from it, and what is like it.
// $chunk: STRING  the chunk's id
// $others: INTEGER  how many chunks that share the most with it are shown
MATCH (chunk:Chunk {id: $chunk})
CALL (chunk) {
  MATCH path = (chunk)-[:FROM_DOCUMENT]->(:Document)
  RETURN path
  UNION ALL
  MATCH path = (chunk)-[:NEXT_CHUNK]-(:Chunk)
  RETURN path
  UNION ALL
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:Window|Query|Entity|Atom|Claim)
  RETURN path
  UNION ALL
  CALL (chunk) {
    MATCH (chunk)<-[:FROM_CHUNK]-(:Entity)-[:FROM_CHUNK]->(other:Chunk)
    WHERE other <> chunk
    RETURN other, 1.0 AS shared
    UNION ALL
    MATCH (chunk)<-[:FROM_CHUNK]-(:Query)-[step:SIMILAR_TO]-(:Query)-[:FROM_CHUNK]->(other:Chunk)
    WHERE other <> chunk
    RETURN other, step.score AS shared
  }
  WITH chunk, other, sum(shared) AS shared ORDER BY shared DESC, other.id LIMIT $others
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:Query|Entity)-[:SIMILAR_TO]-{0,1}(:Query|Entity)-[:FROM_CHUNK]->(other)
  RETURN path
}
RETURN path
