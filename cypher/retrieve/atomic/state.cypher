// One row: what the graph remembers of the stages that write its atoms, entities and triples, and how large it is.
CALL () {
  UNWIND ['load', 'extract', 'synonyms'] AS name
  OPTIONAL MATCH (stage:QcgStage {name: name})
  WITH coalesce(elementId(stage), '-') + '_' + coalesce(toString(stage.revision), '-') + '_' + coalesce(toString(stage.finishedAt.epochMillis), '-') AS state
  ORDER BY name
  RETURN reduce(all = '', one IN collect(state) | all + '_' + one) AS stages
}
CALL () { OPTIONAL MATCH (corpus:QcgCorpus) RETURN coalesce(max(corpus.dimension), 0) AS dimension }
CALL () { MATCH (chunk:QcgChunk) RETURN count(chunk) AS chunks }
CALL () { MATCH (atom:QcgAtom) RETURN count(atom) AS atoms }
CALL () { MATCH (entity:QcgEntity) RETURN count(entity) AS entities }
CALL () { MATCH (:QcgAtom)-[mention:MENTIONS]->() RETURN count(mention) AS mentions }
CALL () { MATCH ()-[triple:RELATED_TO]->() RETURN count(triple) AS triples }
CALL () { MATCH (:QcgEntity)-[synonym:SYNONYM_OF]->() RETURN count(synonym) AS synonyms }
RETURN stages + reduce(all = '', one IN [chunks, atoms, entities, mentions, triples, synonyms] | all + '_' + toString(one)) AS state,
       chunks, atoms, entities, mentions, triples, synonyms, dimension
