// No rows; gives entities a summary of their descriptions.
// $rows: LIST<MAP>  id, summary, of (the descriptions, in the order in which they were given)
UNWIND $rows AS row
MATCH (entity:QcgEntity {id: row.id})
SET entity.summary = row.summary, entity.summaryOf = row.of, entity.description = row.summary
