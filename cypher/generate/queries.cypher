// No rows; creates or updates queries of chunks.
// $rows: LIST<MAP>  id, chunkId, question, answer, text, similarity, source and embedding of each query
UNWIND $rows AS row
MATCH (chunk:QcgChunk {id: row.chunkId})
MERGE (query:QcgQuery:Query {id: row.id})
SET query.question = row.question, query.answer = row.answer, query.text = row.text,
    query.similarity = row.similarity, query.source = row.source, query.displayName = left(row.question, 60)
MERGE (query)-[:FROM_CHUNK]->(chunk)
WITH query, row
CALL db.create.setNodeVectorProperty(query, 'embedding', row.embedding)
