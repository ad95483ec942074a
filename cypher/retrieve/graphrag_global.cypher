// One row: the reports of a level nearest to a question (GraphRAG), and the chunks behind them, best first, with their paths.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $level: INTEGER  the level of the communities; an unsplit one represents itself below
// $reports: INTEGER  how many reports are returned
// $passages: INTEGER  how many chunks are returned
MATCH (community:QcgCommunity)
WHERE (community.level = $level OR (community.leaf AND community.level < $level)) AND community.embedding IS NOT NULL
WITH community, 2 * vector.similarity.cosine(community.embedding, $questionVector) - 1 AS similarity
WHERE similarity IS NOT NULL // what was deleted meanwhile holds nothing
WITH community, similarity ORDER BY similarity DESC, community.id
LIMIT $reports
WITH collect({community: community, similarity: similarity}) AS hits
CALL (hits) {
  UNWIND hits AS hit
  WITH hit.community AS community, hit.similarity AS near
  MATCH (community)<-[:IN_COMMUNITY]-(source:QcgEntity)-[relation:RELATED_TO]->(target:QcgEntity)
  WHERE EXISTS { (target)-[:IN_COMMUNITY]->(community) }
  WITH community, near, source, relation,
       2 * vector.similarity.cosine(relation.embedding, $questionVector) - 1 AS similarity
  // A chunk counts by its report and by what it states there, each half.
  WITH community, near, source, relation, similarity, (near + similarity) / 2 AS score
  WHERE score IS NOT NULL
  WITH * ORDER BY score DESC, relation.id
  WITH relation.chunkId AS chunkId, max(score) AS score,
       head(collect({community: community, near: near, source: source, relation: relation, similarity: similarity})) AS way
  ORDER BY score DESC, chunkId
  LIMIT $passages
  MATCH (chunk:QcgChunk {id: chunkId})-[:FROM_DOCUMENT]->(document:QcgDocument)
  WITH chunk, document, way, score ORDER BY score DESC, chunk.id
  RETURN collect({
    id: chunk.id, document: document.id, title: document.title, index: chunk.index, text: chunk.text,
    tokenCount: chunk.tokenCount, page: chunk.page, lastPage: chunk.lastPage, headings: chunk.headings, metadata: document {.*}, score: score, also: COLLECT {
      MATCH (chunk)<-[:SAME_TEXT_AS]-()-[:FROM_DOCUMENT]->(other:QcgDocument) WHERE other <> document
      RETURN DISTINCT other {.id, .title} AS other ORDER BY other.id
    },
    paths: [[
      {label: 'Community', id: way.community.id, text: way.community.title, relationship: 'HIT', similarity: way.near,
       weight: null},
      {label: 'Entity', id: way.source.id, text: way.relation.ttr, relationship: 'IN_COMMUNITY',
       similarity: way.similarity, weight: null}
    ]]
  }) AS passages
}
RETURN [passage IN passages WHERE passage.id + passage.document + passage.text + passage.tokenCount IS NOT NULL] AS passages,
       [hit IN hits WHERE hit.community.report IS NOT NULL | {
         id: hit.community.id, level: hit.community.level, title: hit.community.title, summary: hit.community.summary,
         rating: hit.community.rating, text: hit.community.report, source: hit.community.reportSource,
         similarity: hit.similarity
       }] AS reports
