// The synthetic questions that the graph holds, with the batch of each and how many atoms answer it.
MATCH (question:QcgSyntheticQuery)
RETURN question.id AS id, question.batch AS batch, COUNT { (question)-[:ANSWERED_BY]->(:QcgAtom) } AS atoms
