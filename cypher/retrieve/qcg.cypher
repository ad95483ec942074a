// The best chunks by the query-centric graph (QCG-RAG), with the paths from the question to each.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $found: LIST<MAP>  rows of retrieve/near: hit (the query) and score
// $queries: INTEGER  how many queries the question hits at most (n)
// $minimumScore: FLOAT  the least cosine + 1 of a query that counts as hit, 0 to 2 (γ)
// $hops: INTEGER  how far to expand along SIMILAR_TO (h)
// $neighbours: INTEGER  how many nearest neighbours of a query are followed (k)
// $aggregation: STRING  a chunk's score from its queries: 'mean', 'max' or 'sum'
// $passages: INTEGER  how many chunks are returned (K)
// $permitted: LIST<STRING> | NULL  ids of the documents that may be used; null for all
UNWIND $found AS found WITH found.hit AS hit, found.score AS score
WITH DISTINCT hit, score AS similarity
WHERE similarity + 1 >= $minimumScore
ORDER BY similarity DESC, hit.id
LIMIT $queries
WITH collect({query: hit, similarity: similarity}) AS hits
// One branch per hop is cheapest up to two: nothing is expanded that $hops does not ask for. Further hops go breadth first.
CALL (hits) {
  UNWIND CASE WHEN $hops <= 2 THEN range(0, size(hits) - 1) ELSE [] END AS place
  RETURN place, [hits[place].query] AS route, [] AS steps, [] AS ranks
  UNION ALL
  UNWIND CASE WHEN $hops IN [1, 2] THEN range(0, size(hits) - 1) ELSE [] END AS place
  WITH place, hits[place].query AS hit
  MATCH (hit)-[step:SIMILAR_TO]->(query:QcgQuery)
  WHERE step.rank <= $neighbours
  RETURN place, [hit, query] AS route, [step] AS steps, [step.rank] AS ranks
  UNION ALL
  UNWIND CASE WHEN $hops = 2 THEN range(0, size(hits) - 1) ELSE [] END AS place
  WITH place, hits[place].query AS hit
  MATCH (hit)-[step:SIMILAR_TO]->(between:QcgQuery)-[next:SIMILAR_TO]->(query:QcgQuery)
  WHERE step.rank <= $neighbours AND next.rank <= $neighbours
  RETURN place, [hit, between, query] AS route, [step, next] AS steps, [step.rank, next.rank] AS ranks
  UNION ALL
  UNWIND CASE WHEN $hops > 2 THEN reduce(
    ways = [place IN range(0, size(hits) - 1) | {place: place, route: [hits[place].query], steps: [], ranks: []}],
    hop IN range(1, $hops) | ways + reduce(kept = [], reached IN COLLECT {
      UNWIND ways AS way
      WITH way, way.route[-1] AS last WHERE size(way.steps) = hop - 1
      MATCH (last)-[step:SIMILAR_TO]->(query:QcgQuery)
      WHERE step.rank <= $neighbours AND none(other IN ways WHERE other.route[-1] = query)
        AND ($permitted IS NULL OR EXISTS {
          (query)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted })
      WITH query, way, step ORDER BY way.place, way.ranks + step.rank
      RETURN {place: way.place, route: way.route + query, steps: way.steps + step, ranks: way.ranks + step.rank}
    } | CASE WHEN none(one IN kept WHERE one.route[-1] = reached.route[-1]) THEN kept + reached ELSE kept END)
  ) ELSE [] END AS way
  RETURN way.place AS place, way.route AS route, way.steps AS steps, way.ranks AS ranks
}
// A query reached in several ways keeps the shortest, from the hit that is nearest to the question, by its nearest.
WITH * WHERE $permitted IS NULL OR all(one IN route[1..] WHERE EXISTS {
  (one)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $permitted })
WITH route, steps, hits[place].similarity AS first ORDER BY size(steps), place, ranks
WITH route[-1] AS query, head(collect({route: route, steps: steps, first: first})) AS way
WITH query, way, CASE size(way.steps) WHEN 0 THEN way.first
     ELSE 2 * vector.similarity.cosine(query.embedding, $questionVector) - 1 END AS similarity
MATCH (query)-[:FROM_CHUNK]->(chunk:QcgChunk)
WHERE similarity IS NOT NULL AND all(step IN way.steps WHERE step.score IS NOT NULL)
WITH chunk, way, similarity ORDER BY similarity DESC
WITH chunk, collect({route: way.route, steps: way.steps, first: way.first, last: similarity}) AS ways,
     count(*) AS reached,
     CASE $aggregation WHEN 'mean' THEN avg(similarity) WHEN 'max' THEN max(similarity) ELSE sum(similarity) END AS score
ORDER BY score DESC, reached DESC, chunk.id
LIMIT $passages
RETURN chunk.id AS id, score,
       [way IN ways | [position IN range(0, size(way.steps)) | {
         label: 'Query', id: way.route[position].id, text: way.route[position].text,
         relationship: CASE position WHEN 0 THEN 'HIT' ELSE 'SIMILAR_TO' END,
         similarity: CASE position WHEN 0 THEN way.first WHEN size(way.steps) THEN way.last
           ELSE 2 * vector.similarity.cosine(way.route[position].embedding, $questionVector) - 1 END,
         weight: CASE position WHEN 0 THEN null ELSE way.steps[position - 1].score END
       }]] AS paths
