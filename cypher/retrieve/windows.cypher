// The chunks nearest to a question by their best window, or by a vector of their own, best first.
// $found: LIST<MAP>  rows of retrieve/near: chunk, hit (a window, or the chunk) and score
// $passages: INTEGER  how many chunks are returned (K)
UNWIND $found AS found WITH found.chunk AS chunk, found.hit AS hit, found.score AS score
WITH * ORDER BY score DESC
WITH chunk, head(collect(hit)) AS part, max(score) AS score
ORDER BY score DESC, chunk.id
LIMIT $passages
WITH chunk, score, CASE WHEN part <> chunk THEN part {.id, .start, .end} END AS part
RETURN chunk.id AS id, score,
       CASE WHEN part.id + part.start + part.end IS NULL THEN [] ELSE [[{
         label: 'Window', id: part.id, text: substring(chunk.text, part.start, part.end - part.start),
         relationship: 'HIT', similarity: score, weight: null
       }]] END AS paths
ORDER BY score DESC, id
