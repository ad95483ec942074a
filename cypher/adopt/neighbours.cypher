// What a sample of the chunks of others is joined with: a row per type of relationship and label at its other end.
// $label: STRING  the label of the chunks
// $sample: INTEGER  how many are looked at
MATCH (theirs:$($label))
WHERE theirs.qcgAdded IS NOT NULL OR none(mark IN labels(theirs) WHERE mark STARTS WITH 'Qcg')
WITH theirs LIMIT $sample
MATCH (theirs)-[joined]-(other)
WHERE NOT $label IN labels(other) AND joined.qcgAdded IS NULL
  AND (other.qcgAdded IS NOT NULL OR none(mark IN labels(other) WHERE mark STARTS WITH 'Qcg'))
UNWIND [label IN labels(other) WHERE NOT label STARTS WITH 'Qcg' AND NOT label STARTS WITH '_'] AS label
RETURN type(joined) AS type, label, count(*) AS number, count(DISTINCT theirs) AS chunks, count(DISTINCT other) AS others
ORDER BY chunks DESC, type, label
