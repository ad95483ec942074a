// No rows; creates queries of a corpus, which an index that all corpora share covers as well.
// $rows: LIST<MAP>  id and embedding of each
// $corpus: STRING  the name of the corpus
UNWIND $rows AS row
CREATE (query:QcgQuery:Query {id: row.id, corpus: $corpus})
SET query:BenchShared
WITH query, row
CALL db.create.setNodeVectorProperty(query, 'embedding', row.embedding)
