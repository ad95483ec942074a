// One row: how many nodes of a label others have, and how many of them hold a text.
// $label: STRING  the label
// $text: STRING  the property with the text
MATCH (theirs:$($label))
WHERE theirs.qcgAdded IS NOT NULL OR none(mark IN labels(theirs) WHERE mark STARTS WITH 'Qcg')
RETURN count(theirs) AS nodes, count(theirs[$text]) AS texts
