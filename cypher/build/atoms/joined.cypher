// One row: how many SIMILAR_TO relationships join atoms, and how many atoms have one.
RETURN COUNT { (:QcgAtom)-[:SIMILAR_TO]->() } AS relationships,
       COUNT { (atom:QcgAtom) WHERE EXISTS { (atom)-[:SIMILAR_TO]-() } } AS joined
