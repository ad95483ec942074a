// One row: the projected graph of the entities that may have synonyms, with their embeddings, for GDS kNN.
// $projection: STRING  the name of the projected graph
MATCH (entity:QcgEntity)
WHERE entity.name =~ '(?s)([^\\p{L}\\p{N}]*[\\p{L}\\p{N}]){4}.*'
WITH gds.graph.project($projection, entity, null, {
  sourceNodeProperties: entity {.embedding}, targetNodeProperties: null
}) AS projected
RETURN projected.graphName AS name, projected.nodeCount AS nodes
