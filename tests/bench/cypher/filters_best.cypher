// The ids of the best of what retrieve/near has found.
// $found: LIST<MAP>  rows of retrieve/near: hit and score
// $wanted: INTEGER  how many are returned
UNWIND $found AS found WITH found.hit AS hit, found.score AS score
RETURN hit.id AS id ORDER BY score DESC LIMIT $wanted
