// One row: the vector of a question by the database's own model, also of one that is longer than the model reads.
// $question: STRING  the question
RETURN qcg.embed($question) AS embedding
