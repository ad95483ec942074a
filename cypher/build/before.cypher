// One row: how many queries an interrupted build has already joined.
// $cursor: STRING  the id of the last of them; '' for none
MATCH (query:QcgQuery)
WHERE query.id <= $cursor
RETURN count(query) AS queries
