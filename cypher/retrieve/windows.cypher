// The chunks nearest to a question by their best window, or by a vector of their own.
// $found: LIST<MAP>  rows of retrieve/near: layer, chunk, hit (a window, or the chunk) and score
// $passages: INTEGER  how many chunks are returned (K)
UNWIND $found AS found WITH found.layer AS layer, found.chunk AS chunk, found.hit AS hit, found.score AS score
WITH * ORDER BY score DESC
WITH layer, chunk, head(collect(hit)) AS part, max(score) AS score
ORDER BY score DESC, chunk.id
LIMIT $passages
// A chunk that fits the model is its own window.
WITH chunk, score, part.id AS id, CASE part WHEN chunk THEN chunk.text ELSE substring(chunk.text, part.start, part.end - part.start) END AS text, layer
RETURN chunk.id AS id, score, CASE WHEN layer = 'Window' AND text IS NOT NULL THEN
  [[{label: 'Window', id: id, text: text, relationship: 'HIT', similarity: score, weight: null}]] ELSE [] END AS paths
