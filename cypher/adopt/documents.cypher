// No rows; gives documents of others our mark or, where ours needs a node of its own, makes that.
// $rows: LIST<MAP>  id, element (of theirs, null where there is none), inPlace, title, source
// $label: STRING  the label of the chunks that are adopted
UNWIND $rows AS row
OPTIONAL MATCH (theirs) WHERE elementId(theirs) = row.element
CALL (row, theirs) {
  WITH row, theirs WHERE row.inPlace AND theirs.qcgAdded IS NULL
  WITH row, theirs, CASE WHEN theirs.id IS NULL THEN ['id'] ELSE [] END +
    CASE WHEN 'Document' IN labels(theirs) THEN [] ELSE [':Document'] END AS added
  SET theirs:QcgDocument:Document, theirs.id = row.id, theirs.qcgAdded = added
  RETURN theirs AS document
  UNION
  WITH row, theirs WHERE row.inPlace AND theirs.qcgAdded IS NOT NULL
  RETURN theirs AS document
  UNION
  WITH row, theirs WHERE NOT row.inPlace
  MERGE (ours:QcgDocument {id: row.id})
  SET ours.title = row.title, ours.source = row.source
  FOREACH (_ IN CASE WHEN theirs IS NULL THEN [] ELSE [1] END | MERGE (ours)-[:ADOPTED_FROM]->(theirs))
  RETURN ours AS document
}
SET document.adoptedFrom = $label, document.contentHash = 'adopted'
