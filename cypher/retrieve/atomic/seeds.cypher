// One row: where the walk of a question begins (AtomicRAG): its entities, best first, and its atoms, with their weights.
// $question: STRING  the question as asked, in which names of entities are looked for; '' to look for none
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $names: LIST<LIST<FLOAT>>  embeddings of further names in the question, of unit length
// $atomSeeds: INTEGER  how many nearest atoms are seeds; 0 for all, -1 for none
// $atomCandidates: INTEGER  how many atoms are taken from the vector index
// $atomWeight: FLOAT  the weight of the nearest atom (λ); that of the farthest is 0, and an entity weighs its cosine
// $entitySeeds: INTEGER  how many entities are seeds at most
// $entityCandidates: INTEGER  how many entities are taken from the vector index per name
// $entityFloor: FLOAT  the least cosine of an entity that is a seed; if none has it, the nearest one is
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
WITH reduce(words = toLower($question), sign IN split('+ - & | ! ( ) { } [ ] ^ " ~ * ? : / \\ < > = @ #', ' ') |
       replace(words, sign, ' ')) AS words
// With and without what an apostrophe parts: the index holds o'brien as one word, and Wolfgang where a question has Wolfgang's.
WITH words + ' ' + replace(replace(words, "'", ' '), '’', ' ') AS words
WITH reduce(terms = '', word IN [word IN split(words, ' ') WHERE word <> ''][..1000] | terms + ' ' + word) AS terms
CALL (terms) {
  WITH terms WHERE terms <> ''
  CALL db.index.fulltext.queryNodes('qcg_entity_name', 'name:(' + terms + ')', CASE WHEN $permitted IS NULL THEN {limit: 200} ELSE {} END)
    YIELD node AS entity
  WHERE toLower($question) CONTAINS toLower(entity.name) AND NOT entity.name CONTAINS '\\E'
    AND ($permitted IS NULL OR EXISTS { (entity)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted })
  // Whole words, but for scripts that do not part them.
  WITH entity, '[\\p{L}\\p{N}&&[^\\p{IsIdeographic}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}]]' AS letter
  WHERE $question =~ '(?isu).*(?<!' + letter + ')\\Q' + entity.name + '\\E(?!' + letter + ').*'
  RETURN collect(entity.embedding) AS named
}
CALL (named) {
  UNWIND $names + named AS vector
  CALL (vector) {
    CALL (vector) {
      CALL db.index.vector.queryNodes('qcg_entity_embedding', $entityCandidates, vector) YIELD node
      WITH node, $permitted IS NULL OR EXISTS { (node)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
      RETURN collect(CASE WHEN isPermitted THEN node END) AS near, count(*) AS seen
    }
    CALL (near, seen) {
      UNWIND near AS node RETURN node
      UNION ALL
      // Where the index has more and brings too few that are permitted, all of these are looked at.
      UNWIND CASE WHEN size(near) < 2 * $entitySeeds AND 2 * seen >= $entityCandidates THEN $permitted END AS id
      MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->()<-[:FROM_CHUNK]-(node:QcgEntity)
      RETURN node
    }
    RETURN node
  }
  WITH node, max(2 * vector.similarity.cosine(node.embedding, vector) - 1) AS similarity
  WHERE similarity IS NOT NULL // what was deleted meanwhile holds nothing
  WITH node, similarity ORDER BY similarity DESC, node.id LIMIT $entitySeeds
  WITH collect({node: elementId(node), similarity: similarity}) AS nearest
  WITH nearest, [seed IN nearest WHERE seed.similarity >= $entityFloor] AS near
  RETURN [seed IN CASE size(near) WHEN 0 THEN nearest[..1] ELSE near END WHERE seed.similarity > 0] AS entities
}
CALL () {
  CALL () {
    WITH 1 AS once WHERE $atomSeeds = 0 AND $permitted IS NULL
    MATCH (node:QcgAtom)
    RETURN node
    UNION
    UNWIND CASE $atomSeeds WHEN 0 THEN $permitted END AS id
    MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->()<-[:FROM_CHUNK]-(node:QcgAtom)
    RETURN node
    UNION
    CALL () {
      WITH 1 AS once WHERE $atomSeeds > 0
      CALL db.index.vector.queryNodes('qcg_atom_embedding', $atomCandidates, $questionVector) YIELD node
      WITH node, $permitted IS NULL OR EXISTS { (node)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted } AS isPermitted
      RETURN collect(CASE WHEN isPermitted THEN node END) AS near, count(*) AS seen
    }
    CALL (near, seen) {
      UNWIND near AS node RETURN node
      UNION ALL
      // Where the index has more and brings too few that are permitted, all of these are looked at.
      UNWIND CASE WHEN $atomSeeds > 0 AND size(near) < 2 * $atomSeeds AND 2 * seen >= $atomCandidates THEN $permitted END AS id
      MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->()<-[:FROM_CHUNK]-(node:QcgAtom)
      RETURN node
    }
    RETURN node
  }
  WITH node, 2 * vector.similarity.cosine(node.embedding, $questionVector) - 1 AS similarity
  WHERE similarity IS NOT NULL // what was deleted meanwhile holds nothing
  WITH node, similarity ORDER BY similarity DESC, node.id LIMIT CASE $atomSeeds WHEN 0 THEN 1000000000 WHEN -1 THEN 0 ELSE $atomSeeds END
  WITH collect([node, similarity]) AS near, min(similarity) AS least, max(similarity) AS most
  RETURN [seed IN near | elementId(seed[0])] AS atoms,
         [seed IN near | $atomWeight * CASE most WHEN least THEN 1.0 ELSE (seed[1] - least) / (most - least) END] AS weights
}
RETURN entities, atoms, weights, EXISTS { (:QcgStage {name: 'synonyms'}) } AS synonymsBuilt
