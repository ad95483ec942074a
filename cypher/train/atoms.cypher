// A page of atoms by id, with their texts and the ids of their neighbours.
// $after: STRING  the id behind which the page begins; empty for the first
// $limit: INTEGER  how many atoms at most
MATCH (atom:QcgAtom)
WHERE atom.id > $after
WITH atom ORDER BY atom.id LIMIT $limit
RETURN atom.id AS id, atom.text AS text,
       COLLECT { MATCH (atom)-[:SIMILAR_TO]-(other:QcgAtom) RETURN other.id ORDER BY other.id } AS neighbours
ORDER BY id
