// No rows; joins atoms.
// $rows: LIST<MAP>  source and target (ids of atoms) and score of each pair
UNWIND $rows AS row
MATCH (one:Atom {id: row.source}), (other:Atom {id: row.target})
CREATE (one)-[:SIMILAR_TO {score: row.score}]->(other)
