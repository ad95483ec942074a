// One round of forward push over the atom-entity graph (AtomicRAG): a row for the atoms, and one for the entities, that something comes to.
// $nodes: LIST<STRING>  element ids of the atoms and entities that pass on what they have
// $rests: LIST<FLOAT>  what each of them has
// $damping: FLOAT  the probability that the walk follows a relationship
// $tolerance: FLOAT  a node passes nothing on that has less than this, times its weighted degree
// $synonyms: BOOLEAN  whether SYNONYM_OF is followed
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
CALL () {
  UNWIND $permitted AS id
  MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
  RETURN collect(DISTINCT chunk.id) AS chunks
}
UNWIND range(0, size($nodes) - 1) AS place
MATCH (node) WHERE elementId(node) = $nodes[place]
WITH $rests[place] AS rest, COLLECT {
  // A mention counts once, however many chunks state it; triples and synonyms add up.
  MATCH (node)-[step:MENTIONS]-(other:QcgAtom|QcgEntity) WHERE $permitted IS NULL OR step.chunkId IN chunks
  RETURN DISTINCT [other, 1.0] AS to
  UNION ALL
  MATCH (node)-[step:RELATED_TO]-(other:QcgEntity) WHERE other <> node AND ($permitted IS NULL OR step.chunkId IN chunks)
  RETURN [other, 1.0] AS to
  UNION ALL
  MATCH (node)-[step:SYNONYM_OF]-(other:QcgEntity) WHERE $synonyms AND other <> node
    AND ($permitted IS NULL OR EXISTS { (other)-[:FROM_CHUNK]->(chunk) WHERE chunk.id IN chunks })
  RETURN [other, step.score] AS to
} AS around
WITH rest, around, reduce(degree = 0.0, to IN around | degree + to[1]) AS degree
WHERE rest > $tolerance * degree
UNWIND around AS to
WITH to[0] AS node, sum($damping * rest / degree * to[1]) AS rest
RETURN node:QcgAtom AS areAtoms, collect(elementId(node)) AS nodes, collect(rest) AS rests
