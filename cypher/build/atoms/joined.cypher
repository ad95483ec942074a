// One row: how many SIMILAR_TO relationships join atoms, and how many atoms have one.
RETURN COUNT { (:Atom)-[:SIMILAR_TO]->(:Atom) } AS relationships,
       COUNT { (atom:Atom) WHERE EXISTS { (atom)-[:SIMILAR_TO]-(:Atom) } } AS joined
