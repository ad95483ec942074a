// What lies nearest to a question in any of the vector indexes: one row with its kind and its cosine; none of an empty graph.
// $found: LIST<MAP>  rows of retrieve/near: layer and score
UNWIND $found AS found WITH found.layer AS layer, found.score AS score
RETURN CASE layer WHEN 'embedding' THEN 'Chunk' ELSE layer END AS kind, score AS relevance
ORDER BY relevance DESC, kind LIMIT 1
