// No rows; gives entities a summary of the claims about them.
// $rows: LIST<MAP>  id, summary, of (the ids of the claims, in order)
UNWIND $rows AS row
MATCH (entity:QcgEntity {id: row.id})
SET entity.claimSummary = row.summary, entity.claimSummaryOf = row.of
