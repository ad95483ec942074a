// The best atoms by personalized PageRank (AtomicRAG) in plain Cypher: three rounds of push from the seeds, after which the rest is taken to shrink from round to round as it did in the last.
// $entities: LIST<MAP>  id and similarity (which is its weight) of the entities that the walk begins at
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $atomSeeds: INTEGER  how many nearest atoms are seeds; 0 for all
// $atomCandidates: INTEGER  how many atoms are taken from the vector index, to be scored exactly
// $atomWeight: FLOAT  what the nearest atom weighs (λ), and the farthest of them nothing
// $damping: FLOAT  the probability that the walk follows a relationship
// $tolerance: FLOAT  a node passes nothing on that has less than this, times its weighted degree
// $synonyms: BOOLEAN  whether SYNONYM_OF is followed
// $atoms: INTEGER  how many atoms are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
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
      UNION
      // Where the index has more and brings too few that are permitted, all of these are looked at.
      UNWIND CASE WHEN $atomSeeds > 0 AND size(near) < 2 * $atomSeeds AND 2 * seen >= $atomCandidates THEN $permitted END AS id
      MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->()<-[:FROM_CHUNK]-(node:QcgAtom)
      RETURN node
    }
    RETURN node
  }
  WITH node, 2 * vector.similarity.cosine(node.embedding, $questionVector) - 1 AS similarity
  WHERE similarity IS NOT NULL // what was deleted meanwhile holds nothing
  WITH node, similarity ORDER BY similarity DESC, node.id LIMIT CASE $atomSeeds WHEN 0 THEN 1000000000 ELSE $atomSeeds END
  WITH collect([node, similarity]) AS near, min(similarity) AS least, max(similarity) AS most
  RETURN [seed IN near | [seed[0], $atomWeight * CASE most WHEN least THEN 1.0 ELSE (seed[1] - least) / (most - least) END]] AS near
}
CALL (near) {
  UNWIND $entities AS seed
  MATCH (entity:QcgEntity {id: seed.id})
  RETURN entity AS node, seed.similarity AS weight
  UNION ALL
  UNWIND near AS seed
  WITH seed[0] AS node, seed[1] AS weight WHERE weight > 0
  RETURN node, weight
}
WITH collect([node, weight]) AS seeds, sum(weight) AS total
CALL () {
  UNWIND $permitted AS id
  MATCH (:QcgDocument {id: id})<-[:FROM_DOCUMENT]-()-[:SAME_TEXT_AS*0..1]->(chunk:QcgChunk)
  RETURN collect(DISTINCT chunk.id) AS chunks
}
WITH chunks, [seed IN seeds | [seed[0], seed[1] / total]] AS seeds
// A round: atoms pass on what they have to the entities that they mention, and these to their neighbours.
CALL (chunks, seeds) {
  UNWIND seeds AS one
  CALL (chunks, one) {
    WITH one WHERE one[0]:QcgEntity
    RETURN one[0] AS entity, one[1] AS rest
    UNION ALL
    WITH chunks, one[0] AS atom, one[1] AS rest WHERE atom:QcgAtom
    WITH rest, COLLECT { MATCH (atom)-[step:MENTIONS]->(to:QcgEntity) WHERE $permitted IS NULL OR step.chunkId IN chunks RETURN DISTINCT to } AS named
    UNWIND named AS entity
    RETURN entity, $damping * rest / size(named) AS rest
  }
  WITH chunks, entity, sum(rest) AS rest
  WITH rest, COLLECT {
    MATCH (entity)<-[step:MENTIONS]-(atom:QcgAtom) WHERE $permitted IS NULL OR step.chunkId IN chunks RETURN DISTINCT [atom, 1.0] AS to
    UNION ALL
    MATCH (entity)-[step:RELATED_TO]-(other:QcgEntity) WHERE other <> entity AND ($permitted IS NULL OR step.chunkId IN chunks) RETURN [other, 1.0] AS to
    UNION ALL
    MATCH (entity)-[step:SYNONYM_OF]-(other:QcgEntity) WHERE $synonyms AND other <> entity
      AND ($permitted IS NULL OR EXISTS { (other)-[:FROM_CHUNK]->(chunk) WHERE chunk.id IN chunks })
    RETURN [other, step.score] AS to
  } AS around
  WITH rest, around, reduce(degree = 0.0, to IN around | degree + to[1]) AS degree
  WHERE rest > $tolerance * degree
  UNWIND around AS to
  WITH to[0] AS node, sum($damping * rest / degree * to[1]) AS rest
  RETURN collect([node, rest]) AS first
}
CALL (chunks, first) {
  UNWIND first AS one
  CALL (chunks, one) {
    WITH one WHERE one[0]:QcgEntity
    RETURN one[0] AS entity, one[1] AS rest
    UNION ALL
    WITH chunks, one[0] AS atom, one[1] AS rest WHERE atom:QcgAtom
    WITH rest, COLLECT { MATCH (atom)-[step:MENTIONS]->(to:QcgEntity) WHERE $permitted IS NULL OR step.chunkId IN chunks RETURN DISTINCT to } AS named
    UNWIND named AS entity
    RETURN entity, $damping * rest / size(named) AS rest
  }
  WITH chunks, entity, sum(rest) AS rest
  WITH rest, COLLECT {
    MATCH (entity)<-[step:MENTIONS]-(atom:QcgAtom) WHERE $permitted IS NULL OR step.chunkId IN chunks RETURN DISTINCT [atom, 1.0] AS to
    UNION ALL
    MATCH (entity)-[step:RELATED_TO]-(other:QcgEntity) WHERE other <> entity AND ($permitted IS NULL OR step.chunkId IN chunks) RETURN [other, 1.0] AS to
    UNION ALL
    MATCH (entity)-[step:SYNONYM_OF]-(other:QcgEntity) WHERE $synonyms AND other <> entity
      AND ($permitted IS NULL OR EXISTS { (other)-[:FROM_CHUNK]->(chunk) WHERE chunk.id IN chunks })
    RETURN [other, step.score] AS to
  } AS around
  WITH rest, around, reduce(degree = 0.0, to IN around | degree + to[1]) AS degree
  WHERE rest > $tolerance * degree
  UNWIND around AS to
  WITH to[0] AS node, sum($damping * rest / degree * to[1]) AS rest
  RETURN collect([node, rest]) AS second
}
CALL (chunks, second) {
  UNWIND second AS one
  CALL (chunks, one) {
    WITH one WHERE one[0]:QcgEntity
    RETURN one[0] AS entity, one[1] AS rest
    UNION ALL
    WITH chunks, one[0] AS atom, one[1] AS rest WHERE atom:QcgAtom
    WITH rest, COLLECT { MATCH (atom)-[step:MENTIONS]->(to:QcgEntity) WHERE $permitted IS NULL OR step.chunkId IN chunks RETURN DISTINCT to } AS named
    UNWIND named AS entity
    RETURN entity, $damping * rest / size(named) AS rest
  }
  WITH chunks, entity, sum(rest) AS rest
  WITH rest, COLLECT {
    MATCH (entity)<-[step:MENTIONS]-(atom:QcgAtom) WHERE $permitted IS NULL OR step.chunkId IN chunks RETURN DISTINCT [atom, 1.0] AS to
    UNION ALL
    MATCH (entity)-[step:RELATED_TO]-(other:QcgEntity) WHERE other <> entity AND ($permitted IS NULL OR step.chunkId IN chunks) RETURN [other, 1.0] AS to
    UNION ALL
    MATCH (entity)-[step:SYNONYM_OF]-(other:QcgEntity) WHERE $synonyms AND other <> entity
      AND ($permitted IS NULL OR EXISTS { (other)-[:FROM_CHUNK]->(chunk) WHERE chunk.id IN chunks })
    RETURN [other, step.score] AS to
  } AS around
  WITH rest, around, reduce(degree = 0.0, to IN around | degree + to[1]) AS degree
  WHERE rest > $tolerance * degree
  UNWIND around AS to
  WITH to[0] AS node, sum($damping * rest / degree * to[1]) AS rest
  RETURN collect([node, rest]) AS third
}
// What has come to an atom, of the last round with all that would follow it.
WITH seeds, first, second, third, reduce(sum = 0.0, one IN second | sum + one[1]) AS before, reduce(sum = 0.0, one IN third | sum + one[1]) AS last
UNWIND [[seeds, 1.0, 1.0], [first, 1.0, 0.0], [second, 1.0, 0.0],
        [third, CASE WHEN last < before THEN before / (before - last) ELSE 1.0 END, 0.0]] AS round
UNWIND round[0] AS one
WITH one[0] AS atom, one[1] * round[1] AS rest, one[1] * round[2] AS weight
WHERE atom:QcgAtom
WITH atom, (1 - $damping) * sum(rest) AS score, max(weight) AS weight
RETURN atom.id AS id, score, weight
ORDER BY score DESC, id
LIMIT $atoms
