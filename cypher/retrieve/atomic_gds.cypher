// The best atoms for a question by personalized PageRank over a projection of GDS (AtomicRAG), best first, with why.
// $question: STRING  the question as asked, in which names of entities are looked for; '' to look for none
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $entityVectors: LIST<LIST<FLOAT>>  embeddings of further names in the question, of unit length
// $atomSeeds: INTEGER  how many nearest atoms are seeds; 0 for all
// $atomCandidates: INTEGER  how many atoms are taken from the vector index, to be scored exactly
// $atomWeight: FLOAT  what the nearest atom weighs as a seed (λ); an entity weighs its cosine
// $entitySeeds: INTEGER  how many entities are seeds at most
// $entityCandidates: INTEGER  how many entities are taken from the vector index per name, to be scored exactly
// $entityFloor: FLOAT  the least cosine of an entity that is a seed; if none has it, the nearest one is
// $damping: FLOAT  the probability that the walk follows a relationship
// $iterations: INTEGER  how many rounds GDS computes at most
// $synonyms: BOOLEAN  whether SYNONYM_OF is followed
// $atoms: INTEGER  how many atoms are returned (K)
WITH reduce(words = toLower($question), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ #', ' ') |
       replace(words, sign, ' ')) AS words
WITH reduce(terms = '', word IN [word IN split(words, ' ') WHERE word <> ''][..1000] | terms + ' ' + word) AS terms
CALL (terms) {
  WITH terms WHERE terms <> ''
  CALL db.index.fulltext.queryNodes('entity_name', 'name:(' + terms + ')', {limit: 200}) YIELD node AS entity
  WHERE toLower($question) CONTAINS toLower(entity.name) AND NOT entity.name CONTAINS '\\E'
  // Whole words, but for scripts that do not part them.
  WITH entity, '[\\p{L}\\p{N}&&[^\\p{IsIdeographic}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}]]' AS letter
  WHERE $question =~ '(?isu).*(?<!' + letter + ')\\Q' + entity.name + '\\E(?!' + letter + ').*'
  RETURN collect(entity.embedding) AS named
}
CALL (named) {
  UNWIND $entityVectors + named AS vector
  CALL db.index.vector.queryNodes('entity_embedding', $entityCandidates, vector) YIELD node
  WITH node, max(2 * vector.similarity.cosine(node.embedding, vector) - 1) AS similarity
  ORDER BY similarity DESC, node.id LIMIT $entitySeeds
  WITH collect({node: node, similarity: similarity, step: {label: 'Entity', id: node.id, text: node.name,
    relationship: 'HIT', similarity: similarity, weight: null}}) AS nearest
  WITH nearest, [seed IN nearest WHERE seed.similarity >= $entityFloor] AS near
  RETURN [seed IN CASE size(near) WHEN 0 THEN nearest[..1] ELSE near END WHERE seed.similarity > 0] AS entities
}
CALL () {
  CALL () {
    UNWIND CASE $atomSeeds WHEN 0 THEN [1] ELSE [] END AS once
    MATCH (node:Atom)
    RETURN node, 2 * vector.similarity.cosine(node.embedding, $questionVector) - 1 AS similarity
    UNION ALL
    UNWIND CASE $atomSeeds WHEN 0 THEN [] ELSE [1] END AS once
    CALL db.index.vector.queryNodes('atom_embedding', $atomCandidates, $questionVector) YIELD node
    WITH node, 2 * vector.similarity.cosine(node.embedding, $questionVector) - 1 AS similarity
    ORDER BY similarity DESC, node.id LIMIT $atomSeeds
    RETURN node, similarity
  }
  RETURN collect({node: node, similarity: similarity}) AS atoms, min(similarity) AS least, max(similarity) AS most
}
WITH entities, least, most, [seed IN atoms WHERE $atomWeight > 0 AND (seed.similarity > least OR least = most) |
       [seed.node, $atomWeight * CASE most WHEN least THEN 1.0 ELSE (seed.similarity - least) / (most - least) END]]
       + [seed IN entities | [seed.node, seed.similarity]] AS seeds
WITH entities, least, most, seeds, reduce(total = 0.0, seed IN seeds | total + seed[1]) AS total
// The projection is that of the present state: when it is missing, build/project_atoms makes it.
CALL () {
  UNWIND ['extract', 'synonyms'] AS name
  OPTIONAL MATCH (stage:Stage {name: name})
  WITH coalesce(toString(stage.revision), '-') + '_' + coalesce(toString(stage.finishedAt.epochMillis), '-') AS state
  ORDER BY name
  RETURN 'qcg_atoms_' + toString($synonyms) + reduce(all = '', one IN collect(state) | all + '_' + one) AS projection
}
WITH entities, least, most, seeds, total, projection
WHERE size(seeds) > 0
CALL gds.pageRank.stream(projection, {dampingFactor: $damping, maxIterations: $iterations, tolerance: 1e-10,
  relationshipWeightProperty: 'weight', sourceNodes: [seed IN seeds | [seed[0], seed[1] / total]]}) YIELD nodeId, score
WITH entities, least, most, gds.util.asNode(nodeId) AS atom, score
WHERE score > 0 AND atom:Atom
WITH atom, score, entities, least, most
ORDER BY score DESC, atom.id
LIMIT $atoms
WITH *, 2 * vector.similarity.cosine(atom.embedding, $questionVector) - 1 AS similarity,
     COLLECT { MATCH (atom)-[:MENTIONS]->(entity:Entity) RETURN DISTINCT entity } AS mentioned
WITH *, [seed IN entities WHERE seed.node IN mentioned | [seed.step]][..3] AS direct
CALL (mentioned, direct, entities) {
  UNWIND CASE size(direct) WHEN 0 THEN entities ELSE [] END AS seed
  UNWIND mentioned AS between
  WITH seed, seed.node AS entity, between
  MATCH (entity)-[step:RELATED_TO|SYNONYM_OF]-(between)
  WHERE $synonyms OR type(step) = 'RELATED_TO'
  WITH seed, between, type(step) AS type, coalesce(max(step.score), toFloat(count(step))) AS weight
  ORDER BY seed.similarity DESC, seed.step.id, weight DESC, between.id
  LIMIT 3
  RETURN collect([seed.step, {label: 'Entity', id: between.id, text: between.name, relationship: type,
    similarity: null, weight: weight}]) AS around
}
WITH *, {label: 'Atom', id: atom.id, text: atom.text, relationship: 'MENTIONS', similarity: similarity, weight: 1.0} AS last
RETURN atom.id AS id, atom.text AS text, score, similarity,
       COLLECT {
         MATCH (atom)-[:FROM_CHUNK]->(chunk:Chunk)-[:FROM_DOCUMENT]->(document:Document)
         RETURN chunk {.id, .index, .text, .tokenCount, document: document.id, title: document.title} ORDER BY chunk.id
       } AS chunks,
       // Seeds that mention it, or are next to what mentions it; and itself, where it is one.
       [way IN direct + around | way + [last]] + CASE
         WHEN $atomWeight = 0 OR (similarity <= least AND least < most) THEN []
         ELSE [[{label: 'Atom', id: atom.id, text: atom.text, relationship: 'HIT', similarity: similarity, weight: null}]]
       END AS paths, EXISTS { (:Stage {name: 'synonyms'}) } AS synonymsBuilt
ORDER BY score DESC, id
