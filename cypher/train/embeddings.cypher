// A page of atoms by id, with their embeddings and their neighbours of higher id.
// $after: STRING  the id behind which the page begins; empty for the first
// $limit: INTEGER  how many atoms at most
MATCH (atom:QcgAtom)
WHERE atom.id > $after
WITH atom ORDER BY atom.id LIMIT $limit
RETURN atom.id AS id, atom.embedding AS embedding,
       COLLECT { MATCH (atom)-[pair:SIMILAR_TO]->(other:QcgAtom) RETURN [other.id, pair.score] ORDER BY other.id } AS pairs
ORDER BY id
