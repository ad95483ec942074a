// One row: what a client needs to score some atoms: their embeddings, their neighbours, and the vectors of all of these.
// $ids: LIST<STRING>  the atoms
CALL () {
  MATCH (atom:QcgAtom) WHERE atom.id IN $ids
  OPTIONAL MATCH (atom)-[:SIMILAR_TO]-(other:QcgAtom)
  WITH atom, collect(other) AS others
  RETURN collect({id: atom.id, embedding: atom.embedding, neighbours: [other IN others | other.id]}) AS atoms,
         collect(atom) AS own, collect(others) AS around
}
CALL (own, around) {
  UNWIND around + [own] AS some
  UNWIND some AS node
  WITH DISTINCT node
  RETURN collect({id: node.id, vector: node.linkVector}) AS vectors
}
RETURN atoms, vectors
