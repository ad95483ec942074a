// One row: the vector of a text by the database's own model, also of one that is longer than the model reads.
// $text: STRING  the text, such as a question
// $prefix: STRING  prefix of it, and of each part of a longer one; '' for nothing
RETURN qcg.embed($text, $prefix) AS embedding
