// One row: how many queries the graph holds, and how many of them have no embedding.
MATCH (query:QcgQuery)
RETURN count(query) AS queries, sum(CASE WHEN query.embedding IS NULL THEN 1 ELSE 0 END) AS withoutEmbedding
