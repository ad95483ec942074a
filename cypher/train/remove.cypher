// No rows; removes synthetic questions.
// $ids: LIST<STRING>  their ids
UNWIND $ids AS id
MATCH (question:QcgSyntheticQuery {id: id})
DETACH DELETE question
