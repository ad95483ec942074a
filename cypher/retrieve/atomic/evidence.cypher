// One row: the best atoms for a question by personalized PageRank (AtomicRAG), whether synonyms were built, how many nearest atoms were seeds.
// $question: STRING  the question as asked
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $names: LIST<LIST<FLOAT>>  embeddings of the names in the question; null to look for names of the graph in it
// $configuration: MAP  the settings of the method, as qcg.configuration('qcg.evidence.atomic') lists them
WITH $configuration AS configuration
CALL qcg.evidence.atomic({text: $question, vector: $questionVector}, $names, configuration {.*, corpus: 'default'})
  YIELD atoms, synonymsBuilt, atomSeeds
RETURN atoms, synonymsBuilt, atomSeeds
