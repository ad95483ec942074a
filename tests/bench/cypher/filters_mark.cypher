// No rows; queries take the number of their document, and come into the index that filters by it.
MATCH (query:QcgQuery)-[:FROM_CHUNK]->()-[:FROM_DOCUMENT]->(document:QcgDocument)
CALL (query, document) {
  SET query:BenchFiltered, query.rank = document.rank
} IN TRANSACTIONS OF 5000 ROWS
