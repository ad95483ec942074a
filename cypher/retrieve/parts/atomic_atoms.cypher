// The atoms that a walk over a graph elsewhere begins at (AtomicRAG), and what they weigh; of all documents.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $atomSeeds: INTEGER  how many nearest atoms are seeds; 0 for all
// $atomCandidates: INTEGER  how many atoms are taken from the vector index, to be scored exactly
// $atomWeight: FLOAT  what the nearest atom weighs (λ), and the farthest of them nothing
CALL () {
  WITH 1 AS once WHERE $atomSeeds = 0
  MATCH (node:QcgAtom)
  RETURN node
  UNION ALL
  WITH 1 AS once WHERE $atomSeeds > 0
  CALL db.index.vector.queryNodes('qcg_atom_embedding', $atomCandidates, $questionVector) YIELD node
  RETURN node
}
WITH node.id AS id, 2 * vector.similarity.cosine(node.embedding, $questionVector) - 1 AS similarity
WHERE similarity IS NOT NULL // what was deleted meanwhile holds nothing
ORDER BY similarity DESC, id LIMIT CASE $atomSeeds WHEN 0 THEN 1000000000 ELSE $atomSeeds END
WITH collect([id, similarity]) AS near, min(similarity) AS least, max(similarity) AS most
UNWIND near AS seed
WITH seed[0] AS id, $atomWeight * CASE most WHEN least THEN 1.0 ELSE (seed[1] - least) / (most - least) END AS weight
WHERE weight > 0
RETURN id, weight
