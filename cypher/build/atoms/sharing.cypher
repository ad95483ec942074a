// One row: how many atoms have noted the nearest atoms (ids, best first) of other chunks that mention an entity with them.
// $sharing: INTEGER  how many such atoms each atom notes
// $hub: INTEGER  an entity that more atoms mention than this does not count
MATCH (atom:QcgAtom)
CALL (atom) {
  OPTIONAL MATCH (atom)-[:MENTIONS]->(entity:QcgEntity)
  WHERE COUNT { (entity)<-[:MENTIONS]-() } <= $hub
  OPTIONAL MATCH (entity)<-[:MENTIONS]-(other:QcgAtom)
  WHERE other <> atom AND NOT EXISTS { (atom)-[:FROM_CHUNK]->(:QcgChunk)<-[:FROM_CHUNK]-(other) }
  WITH DISTINCT atom, other, vector.similarity.cosine(atom.embedding, other.embedding) AS score
  ORDER BY score DESC, other.id
  LIMIT $sharing
  WITH atom, collect(other.id) AS sharing
  SET atom.sharing = sharing
  RETURN count(atom) AS noted
} IN TRANSACTIONS OF 1000 ROWS
RETURN sum(noted) AS atoms
