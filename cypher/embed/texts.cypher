// A row per text: its place in the list and its vector, by the database's own model.
// $texts: LIST<STRING>  the texts; of one that is longer than the model reads, only the beginning counts
CALL qcg.embedding.texts($texts) YIELD index, embedding
RETURN index, embedding
