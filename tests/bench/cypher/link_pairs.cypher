// No rows; joins atoms.
// $rows: LIST<MAP>  source and target (ids of atoms) and score of each pair
UNWIND $rows AS row
MATCH (one:QcgAtom {id: row.source}), (other:QcgAtom {id: row.target})
CREATE (one)-[:SIMILAR_TO {score: row.score}]->(other)
