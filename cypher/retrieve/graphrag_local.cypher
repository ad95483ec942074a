// One row: what the entities nearest to a question bring (GraphRAG, local): chunks best first with their paths, relations, claims, reports.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many entities are taken from the vector index
// $entities: INTEGER  how many entities the question hits
// $ranking: STRING  order of the chunks: 'entity' by their nearest entity, then by relations; 'relation' by their best relation
// $passages: INTEGER  how many chunks are returned
// $relations: INTEGER  how many relations, claims and reports are returned at most, each
CALL db.index.vector.queryNodes('qcg_entity_embedding', $candidates, $questionVector) YIELD node AS entity, score
WITH entity, 2 * score - 1 AS similarity
WHERE entity.id IS NOT NULL // what was deleted meanwhile holds nothing
WITH entity, similarity ORDER BY similarity DESC, entity.id
LIMIT $entities
WITH collect(entity) AS hits, collect(similarity) AS similarities
CALL (hits, similarities) {
  UNWIND range(0, size(hits) - 1) AS place
  WITH place, hits[place] AS hit
  MATCH (hit)-[:FROM_CHUNK]->(chunk:QcgChunk) WITH DISTINCT chunk, place ORDER BY place
  WITH chunk, collect(place) AS places
  // What the chunk itself states about the entities; each relation is looked at where it is stated.
  CALL (chunk, hits) {
    MATCH (source)-[relation:RELATED_TO {chunkId: chunk.id}]->(target)
    WHERE source IN hits OR target IN hits
    RETURN count(relation) AS number,
           coalesce(max(2 * vector.similarity.cosine(relation.embedding, $questionVector) - 1), -1.0) AS best
  }
  WITH chunk, places, number, CASE $ranking WHEN 'entity' THEN similarities[places[0]] ELSE best END AS score
  ORDER BY score DESC, number DESC, chunk.id
  LIMIT $passages
  MATCH (chunk)-[:FROM_DOCUMENT]->(document:QcgDocument)
  WITH chunk, document, places, number, score ORDER BY score DESC, number DESC, chunk.id
  RETURN collect(chunk {
    .id, .index, .text, .tokenCount, .page, .lastPage, .headings, document: document.id, title: document.title, metadata: document {.*}, score: score, also: COLLECT {
      MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
      RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
    },
    paths: [place IN places | [{label: 'Entity', id: hits[place].id, text: hits[place].name, relationship: 'HIT',
                                similarity: similarities[place], weight: null}]]
  }) AS passages
}
CALL (hits) {
  UNWIND hits AS hit
  MATCH (hit)-[relation:RELATED_TO]-(:QcgEntity)
  WITH DISTINCT relation, startNode(relation) AS source, endNode(relation) AS target
  WITH relation, source, target, 2 * vector.similarity.cosine(relation.embedding, $questionVector) - 1 AS similarity
  WHERE similarity IS NOT NULL
  WITH * ORDER BY source IN hits AND target IN hits DESC, similarity DESC, relation.id
  LIMIT $relations
  RETURN collect(relation {
    .id, .predicate, .ttr, source: source.name, target: target.name, chunk: relation.chunkId, similarity: similarity
  }) AS relations
}
CALL (hits) {
  UNWIND range(0, size(hits) - 1) AS place
  WITH place, hits[place] AS hit
  MATCH (hit)<-[:ABOUT]-(claim:QcgClaim)
  WITH claim, min(place) AS place ORDER BY place, claim.id LIMIT $relations
  RETURN collect(claim {.id, .type, .status, .description}) AS claims
}
CALL (hits) {
  UNWIND hits AS hit
  MATCH (hit)-[:IN_COMMUNITY]->(community:QcgCommunity)
  WHERE community.report IS NOT NULL
  WITH community, count(hit) AS held
  WITH community, held, 2 * vector.similarity.cosine(community.embedding, $questionVector) - 1 AS similarity
  ORDER BY held DESC, community.rating DESC, community.level DESC, community.id
  LIMIT $relations
  RETURN collect(community {
    .id, .level, .title, .summary, .rating, text: community.report, source: community.reportSource,
    similarity: similarity
  }) AS reports
}
RETURN [passage IN passages WHERE passage.id + passage.document + passage.text + passage.tokenCount IS NOT NULL] AS passages, relations, claims, reports,
       [place IN range(0, size(hits) - 1) |
         {id: hits[place].id, name: hits[place].name, type: hits[place].type, description: hits[place].description,
          similarity: similarities[place]}] AS entities
