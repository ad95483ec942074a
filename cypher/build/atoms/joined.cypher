// One row: how many SIMILAR_TO relationships join atoms, and how many atoms have one.
RETURN COUNT { (:QcgAtom)-[:SIMILAR_TO]->(:QcgAtom) } AS relationships,
       COUNT { (atom:QcgAtom) WHERE EXISTS { (atom)-[:SIMILAR_TO]-(:QcgAtom) } } AS joined
