// The best chunks by the query-centric graph (QCG-RAG), best first, with the paths from the question to each.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $candidates: INTEGER  how many queries are taken from the vector index, to be scored exactly
// $queries: INTEGER  how many queries the question hits at most (n)
// $minimumScore: FLOAT  the least cosine + 1 of a query that counts as hit, 0 to 2 (γ)
// $hops: INTEGER  how far to expand along SIMILAR_TO, 0 to 2 (h)
// $neighbours: INTEGER  how many nearest neighbours of a query are followed (k)
// $aggregation: STRING  a chunk's score from its queries: 'mean', 'max' or 'sum'
// $passages: INTEGER  how many chunks are returned (K)
CALL db.index.vector.queryNodes('query_embedding', $candidates, $questionVector) YIELD node AS hit
WITH hit, 2 * vector.similarity.cosine(hit.embedding, $questionVector) - 1 AS similarity
WHERE similarity + 1 >= $minimumScore
ORDER BY similarity DESC, hit.id
LIMIT $queries
MATCH path = (hit)-[steps:SIMILAR_TO*0..2]->(query:Query)
WHERE size(steps) <= $hops AND all(step IN steps WHERE step.rank <= $neighbours)
// A query reached in several ways keeps the shortest, from the hit that is nearest to the question.
WITH query, path ORDER BY size(steps), similarity DESC, hit.id
WITH query, head(collect(path)) AS path
WITH query, path, 2 * vector.similarity.cosine(query.embedding, $questionVector) - 1 AS similarity
MATCH (query)-[:FROM_CHUNK]->(chunk:Chunk)
WITH chunk, path, similarity ORDER BY similarity DESC
WITH chunk, collect(path) AS paths, count(*) AS reached,
     CASE $aggregation WHEN 'mean' THEN avg(similarity) WHEN 'max' THEN max(similarity) ELSE sum(similarity) END AS score
ORDER BY score DESC, reached DESC, chunk.id
LIMIT $passages
MATCH (chunk)-[:FROM_DOCUMENT]->(document:Document)
RETURN chunk.id AS id, document.id AS document, document.title AS title, chunk.index AS index, chunk.text AS text,
       chunk.tokenCount AS tokenCount, score,
       [path IN paths | [position IN range(0, length(path)) | {
         label: 'Query', id: nodes(path)[position].id, text: nodes(path)[position].text,
         relationship: CASE position WHEN 0 THEN 'HIT' ELSE 'SIMILAR_TO' END,
         similarity: 2 * vector.similarity.cosine(nodes(path)[position].embedding, $questionVector) - 1,
         weight: CASE position WHEN 0 THEN null ELSE relationships(path)[position - 1].score END
       }]] AS paths
ORDER BY score DESC, reached DESC, id
