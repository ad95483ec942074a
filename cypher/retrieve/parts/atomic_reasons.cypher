// Found atoms, best first, with the chunks that state them and why they were found: from which seeds, or as one.
// $found: LIST<MAP>  node, score, and weight as a seed (0 for none) of each atom
// $entities: LIST<MAP>  node and similarity of the entities that the walk began at, best first
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $synonyms: BOOLEAN  whether SYNONYM_OF was followed
UNWIND $found AS item
WITH item, item.node AS atom
WITH *, 2 * vector.similarity.cosine(atom.embedding, $questionVector) - 1 AS similarity,
     COLLECT { MATCH (atom)-[:MENTIONS]->(entity:QcgEntity) RETURN DISTINCT entity } AS mentioned
WHERE similarity IS NOT NULL // what was deleted meanwhile holds nothing
WITH *, [seed IN $entities WHERE seed.node IN mentioned | [seed]][..3] AS direct
CALL (mentioned, direct) {
  UNWIND CASE size(direct) WHEN 0 THEN $entities ELSE [] END AS seed
  UNWIND mentioned AS between
  WITH seed, seed.node AS entity, between
  MATCH (entity)-[step:RELATED_TO|SYNONYM_OF]-(between)
  WHERE $synonyms OR type(step) <> 'SYNONYM_OF'
  WITH seed, between, CASE type(step) WHEN 'SYNONYM_OF' THEN 'SYNONYM_OF' ELSE 'RELATED_TO' END AS type, coalesce(max(step.score), toFloat(count(step))) AS weight
  ORDER BY seed.similarity DESC, seed.node.id, weight DESC, between.id
  LIMIT 3
  RETURN collect([seed, {node: between, type: type, weight: weight}]) AS around
}
WITH *, {label: 'Atom', id: atom.id, text: atom.text, relationship: 'MENTIONS', similarity: similarity, weight: 1.0} AS last
RETURN atom.id AS id, atom.text AS text, item.score AS score, similarity,
       COLLECT {
         MATCH (atom)-[:FROM_CHUNK]->(chunk:QcgChunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
         RETURN chunk {.id, .index, .text, .tokenCount, .page, .lastPage, .headings, document: document.id, title: document.title, also: COLLECT {
           MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
           RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
         }} ORDER BY chunk.id
       } AS chunks,
       [way IN direct + around | [stop IN way | {label: 'Entity', id: stop.node.id, text: stop.node.name,
         relationship: coalesce(stop.type, 'HIT'), similarity: stop.similarity, weight: stop.weight}] + [last]]
       + CASE WHEN item.weight > 0 THEN [[{label: 'Atom', id: atom.id, text: atom.text, relationship: 'HIT',
         similarity: similarity, weight: null}]] ELSE [] END AS paths
ORDER BY score DESC, id
