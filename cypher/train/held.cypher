// The synthetic questions that the graph holds, with how many atoms answer each.
MATCH (question:SyntheticQuery)
RETURN question.id AS id, COUNT { (question)-[:ANSWERED_BY]->(:Atom) } AS atoms
