// A chunk with what is around it: its document, the chunks beside it, what is made from it, and what is like it.
// $chunk: STRING  the chunk's id
// $others: INTEGER  how many chunks that share the most with it are shown
MATCH (chunk:QcgChunk {id: $chunk})
CALL (chunk) {
  MATCH path = (chunk)-[:FROM_DOCUMENT]->(:QcgDocument)
  RETURN path
  UNION ALL
  MATCH path = (chunk)-[:NEXT_CHUNK]-(:QcgChunk)
  RETURN path
  UNION ALL
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:QcgWindow|QcgQuery|QcgEntity|QcgAtom|QcgClaim)
  RETURN path
  UNION ALL
  CALL (chunk) {
    MATCH (chunk)<-[:FROM_CHUNK]-(:QcgEntity)-[:FROM_CHUNK]->(other:QcgChunk)
    WHERE other <> chunk
    RETURN other, 1.0 AS shared
    UNION ALL
    MATCH (chunk)<-[:FROM_CHUNK]-(:QcgQuery)-[step:SIMILAR_TO]-(:QcgQuery)-[:FROM_CHUNK]->(other:QcgChunk)
    WHERE other <> chunk
    RETURN other, step.score AS shared
  }
  WITH chunk, other, sum(shared) AS shared ORDER BY shared DESC, other.id LIMIT $others
  MATCH path = (chunk)<-[:FROM_CHUNK]-(:QcgQuery|QcgEntity)-[:SIMILAR_TO]-{0,1}(:QcgQuery|QcgEntity)-[:FROM_CHUNK]->(other)
  RETURN path
}
RETURN path
