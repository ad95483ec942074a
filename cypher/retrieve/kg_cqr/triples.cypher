// The triples whose textual representation is nearest to a question, best first.
// $found: LIST<MAP>  rows of retrieve/near: hit (the triple) and score
// $triples: INTEGER  how many triples are returned (k)
UNWIND $found AS found WITH found.hit AS hit, found.score AS score
WITH DISTINCT hit AS triple, score AS similarity WHERE startNode(triple):QcgEntity // of what was deleted meanwhile nothing is known
WITH triple, similarity ORDER BY similarity DESC, triple.id
LIMIT $triples
RETURN triple.id AS id, triple.ttr AS ttr
