// One row: how many atoms the graph holds, and how many of them have no embedding.
MATCH (atom:QcgAtom)
RETURN count(atom) AS atoms, sum(CASE WHEN atom.embedding IS NULL THEN 1 ELSE 0 END) AS withoutEmbedding
