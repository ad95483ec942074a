// The synthetic questions that the graph holds, with how many atoms answer each.
MATCH (question:QcgSyntheticQuery)
RETURN question.id AS id, COUNT { (question)-[:ANSWERED_BY]->(:QcgAtom) } AS atoms
