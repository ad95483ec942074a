// One row: the vector of a text by the database's own model, also of one that is longer than the model reads.
// $text: STRING  the text, such as a question
// $prefix: STRING  what stands before it, and before each part of one that is longer; '' for nothing
RETURN qcg.embed($text, $prefix) AS embedding
