// Atoms that the walk found, and why: from which seeds, or as one.
// $walked: LIST<MAP>  of each atom the element id as node, its score, and its weight as a seed (0 for none)
// $entities: LIST<MAP>  of the entities that the walk began at the element id as node, and the similarity, best first
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $synonyms: BOOLEAN  whether SYNONYM_OF was followed
// $atoms: INTEGER  how many atoms are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
CALL () {
  UNWIND $entities AS seed
  MATCH (entity:QcgEntity) WHERE elementId(entity) = seed.node
  RETURN collect({node: entity, similarity: seed.similarity}) AS seeds
}
UNWIND $walked AS item
MATCH (atom:QcgAtom) WHERE elementId(atom) = item.node
WITH seeds, atom, item ORDER BY item.score DESC, atom.id LIMIT $atoms
WITH *, 2 * vector.similarity.cosine(atom.embedding, $questionVector) - 1 AS similarity,
     COLLECT {
       MATCH (atom)-[mention:MENTIONS]->(entity:QcgEntity) WHERE $permitted IS NULL OR EXISTS {
         (:QcgChunk {id: mention.chunkId})<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted }
       RETURN DISTINCT entity
     } AS mentioned
WHERE similarity IS NOT NULL // what was deleted meanwhile holds nothing
WITH *, [seed IN seeds WHERE seed.node IN mentioned | [seed]][..3] AS direct
CALL (seeds, mentioned, direct) {
  UNWIND CASE size(direct) WHEN 0 THEN seeds ELSE [] END AS seed
  UNWIND mentioned AS between
  WITH seed, seed.node AS entity, between
  MATCH (entity)-[step:RELATED_TO|SYNONYM_OF]-(between)
  WHERE CASE WHEN type(step) = 'SYNONYM_OF' THEN $synonyms ELSE $permitted IS NULL OR EXISTS {
    (:QcgChunk {id: step.chunkId})<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } END
  WITH seed, between, CASE type(step) WHEN 'SYNONYM_OF' THEN 'SYNONYM_OF' ELSE 'RELATED_TO' END AS type, coalesce(max(step.score), toFloat(count(step))) AS weight
  ORDER BY seed.similarity DESC, seed.node.id, weight DESC, between.id
  LIMIT 3
  RETURN collect([seed, {node: between, type: type, weight: weight}]) AS around
}
WITH *, {label: 'Atom', id: atom.id, text: atom.text, relationship: 'MENTIONS', similarity: similarity, weight: 1.0} AS last
RETURN atom.id AS id, atom.text AS text, item.score AS score, similarity,
       [way IN direct + around | [stop IN way | {label: 'Entity', id: stop.node.id, text: CASE WHEN $permitted IS NULL THEN stop.node.name ELSE COLLECT {
           // As a permitted chunk spells it.
           MATCH (stopped)-[said:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE stopped = stop.node AND document.id IN $permitted
           RETURN said.name ORDER BY said.name LIMIT 1 }[0] END,
         relationship: coalesce(stop.type, 'HIT'), similarity: stop.similarity, weight: stop.weight}] + [last]]
       + CASE WHEN item.weight > 0 THEN [[{label: 'Atom', id: atom.id, text: atom.text, relationship: 'HIT',
         similarity: similarity, weight: null}]] ELSE [] END AS paths
