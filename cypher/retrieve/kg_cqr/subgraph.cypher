// One row: the completed subgraph of a question (KG-CQR), its triples in the order of the context, and its paths.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $hits: LIST<STRING>  the ids of the triples that it begins with, best first
// $paths: LIST<MAP>  the paths between their entities, best first: ids of the triples, and score
// $addedTriples: INTEGER  how many triples the paths add at most (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
CALL () {
  UNWIND range(0, size($paths) - 1) AS rank
  UNWIND range(0, size($paths[rank].triples) - 1) AS place
  WITH $paths[rank].triples[place] AS id, min([rank, place]) AS first ORDER BY first
  RETURN collect(id) AS along
}
WITH along, [id IN along WHERE NOT id IN $hits][..$addedTriples] AS added
WITH added, [id IN along WHERE id IN $hits OR id IN added] + [id IN $hits WHERE NOT id IN along] AS ids
CALL (added, ids) {
  UNWIND range(0, size(ids) - 1) AS place
  MATCH (source:QcgEntity)-[triple:RELATED_TO {id: ids[place]}]->(target:QcgEntity)
  WHERE triple.ttr + triple.chunkId IS NOT NULL
  ORDER BY place
  // An entity is called as the chunk spells it: elsewhere it may have another name.
  RETURN collect({
    id: triple.id, predicate: triple.predicate,
    source: CASE WHEN $permitted IS NULL THEN source.name ELSE COLLECT {
      MATCH (source)-[said:FROM_CHUNK]->(:QcgChunk {id: triple.chunkId}) RETURN said.name }[0] END,
    target: CASE WHEN $permitted IS NULL THEN target.name ELSE COLLECT {
      MATCH (target)-[said:FROM_CHUNK]->(:QcgChunk {id: triple.chunkId}) RETURN said.name }[0] END,
    ttr: triple.ttr, chunk: triple.chunkId, added: triple.id IN added,
    similarity: 2 * vector.similarity.cosine(triple.embedding, $questionVector) - 1
  }) AS triples
}
RETURN triples, [path IN $paths WHERE all(id IN path.triples WHERE id IN ids) | path {.score, .triples}][..100] AS paths
