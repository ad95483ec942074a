// No rows; joins atoms to the entities that they mention.
// $rows: LIST<MAP>  source (an atom) and target (an entity) of each relationship
UNWIND $rows AS row
MATCH (atom:QcgAtom {id: row.source})
MATCH (entity:QcgEntity {id: row.target})
CREATE (atom)-[:MENTIONS]->(entity)
