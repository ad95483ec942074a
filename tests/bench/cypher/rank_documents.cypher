// No rows; numbers documents, so that a filter permits as many of them as it says.
// $ids: LIST<STRING>  ids of the documents in the order of their numbers
UNWIND range(0, size($ids) - 1) AS rank
MATCH (document:QcgDocument {id: $ids[rank]})
SET document.rank = rank
