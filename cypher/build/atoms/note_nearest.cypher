// No rows; atoms note their nearest others.
// $found: LIST<MAP>  id, and nearest: the ids of its nearest others, the best first
// $cursor: STRING  the id up to which an interrupted search need not look again
UNWIND $found AS one
MATCH (atom:QcgAtom {id: one.id})
SET atom.nearest = one.nearest
WITH count(*) AS atoms
OPTIONAL MATCH (stage:QcgStage {name: 'atoms'})
SET stage.cursor = $cursor
