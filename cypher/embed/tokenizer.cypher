// One row: the text of the tokenizer.json of the database's own model.
RETURN qcg.embedding.tokenizer() AS tokenizer
