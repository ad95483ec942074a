// No rows; removes the synthetic questions that are not a query of the graph any more, or never were.
MATCH (question:QcgSyntheticQuery)
WHERE question.source <> 'queries' OR NOT EXISTS { (:QcgQuery {id: question.id}) }
DETACH DELETE question
