// A page of synthetic questions by id, with their embeddings, their batches and the ids of the atoms that answer them.
// $after: STRING  the id behind which the page begins; empty for the first
// $limit: INTEGER  how many questions at most
MATCH (question:QcgSyntheticQuery)
WHERE question.id > $after
WITH question ORDER BY question.id LIMIT $limit
RETURN question.id AS id, question.embedding AS embedding, question.batch AS batch,
       COLLECT { MATCH (question)-[:ANSWERED_BY]->(atom:QcgAtom) RETURN atom.id ORDER BY atom.id } AS atoms
ORDER BY id
