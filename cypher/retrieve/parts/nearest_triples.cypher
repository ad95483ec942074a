// The triples whose textual representation is nearest to a question, best first.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many triples are taken from the vector index, to be scored exactly
// $triples: INTEGER  how many triples are returned (k)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
CALL () {
  CALL db.index.vector.queryRelationships('qcg_related_to_embedding', $candidates, $questionVector) YIELD relationship AS triple
  WHERE startNode(triple):QcgEntity
  WITH triple, $permitted IS NULL OR EXISTS {
    (:QcgChunk {id: triple.chunkId})<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
  RETURN collect(CASE WHEN isPermitted THEN triple END) AS near, count(*) AS seen
}
CALL (near, seen) {
  UNWIND near AS triple RETURN triple
  UNION
  // Where the index has more and brings too few that are permitted, all of these are looked at.
  UNWIND CASE WHEN size(near) < 2 * $triples AND 2 * seen >= $candidates THEN $permitted END AS id
  MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
  MATCH (start:QcgEntity)-[triple:RELATED_TO {chunkId: chunk.id}]->()
  RETURN triple
}
WITH triple, 2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1 AS similarity
WHERE similarity IS NOT NULL AND startNode(triple):QcgEntity // what was deleted meanwhile holds nothing
WITH triple, similarity ORDER BY similarity DESC, triple.id
LIMIT $triples
RETURN triple.id AS id, triple.ttr AS ttr
