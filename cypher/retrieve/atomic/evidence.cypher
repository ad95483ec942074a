// One row: the best atoms for a question by personalized PageRank (AtomicRAG), whether synonyms were built, how many nearest atoms were seeds.
// $found: LIST<MAP>  the row of retrieve/atomic/seeding: atomSeeds
// $question: STRING  the question as asked
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
// $names: LIST<LIST<FLOAT>>  embeddings of the names in the question; null to look for names of the graph in it
// $configuration: MAP  the settings of the method, as qcg.configuration('qcg.evidence.atomic') lists them
UNWIND $found AS found WITH found.atomSeeds AS atomSeeds
WITH atomSeeds, $configuration AS configuration
CALL qcg.evidence.atomic({text: $question, vector: $questionVector}, $names, configuration {.*, atomSeeds: atomSeeds, corpus: 'default'})
  YIELD atoms, synonymsBuilt
RETURN atoms, synonymsBuilt, atomSeeds
