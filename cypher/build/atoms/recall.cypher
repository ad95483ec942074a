// One row: the share of the true nearest neighbours that atoms have noted, by exact search for a sample of atoms.
// $sample: INTEGER  how many atoms are checked; ids are hashes, so the first ones are a random sample
// $neighbours: INTEGER  how many nearest neighbours each atom notes (k)
MATCH (atom:QcgAtom)
WHERE atom.id > ''
WITH atom ORDER BY atom.id LIMIT $sample
CALL (atom) {
  WITH atom, atom.embedding AS vector
  UNWIND coalesce(atom.nearest, []) AS id
  MATCH (other:QcgAtom {id: id})
  RETURN collect(vector.similarity.cosine(vector, other.embedding)) AS stored
}
WITH collect({id: atom.id, vector: atom.embedding, stored: stored, least: reduce(least = 2.0, score IN stored |
       CASE WHEN score < least THEN score ELSE least END)}) AS samples
CALL (samples) {
  // One scan for all samples, since reading an embedding costs more than comparing it.
  MATCH (other:QcgAtom)
  WITH samples, other.id AS id, other.embedding AS vector
  UNWIND samples AS item
  WITH item, id, vector.similarity.cosine(item.vector, vector) AS score
  WHERE score > item.least + 1e-6 AND id <> item.id
  RETURN collect({id: item.id, score: score}) AS nearer
}
WITH samples, nearer, COUNT { (:QcgAtom) } - 1 AS others
UNWIND samples AS item
WITH item.stored AS stored, [row IN nearer WHERE row.id = item.id | row.score] AS scores,
     CASE WHEN others < $neighbours THEN others ELSE $neighbours END AS wanted
// A noted neighbour is a true one when fewer than k others are nearer; equally near ones may replace each other.
WITH wanted, size([score IN stored WHERE size([better IN scores WHERE better > score + 1e-6]) < $neighbours]) AS found
RETURN count(*) AS sample, sum(wanted) AS wanted, sum(found) AS found,
       CASE sum(wanted) WHEN 0 THEN 1.0 ELSE toFloat(sum(found)) / sum(wanted) END AS recall
