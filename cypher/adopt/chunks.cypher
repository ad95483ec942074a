// No rows; gives chunks of others our mark and what ours have or, where ours needs a node of its own, makes that.
// $rows: LIST<MAP>  id, element (of theirs), inPlace, document, text, textHash, tokenCount, embeddedAs, embedding (null: theirs)
UNWIND $rows AS row
MATCH (theirs) WHERE elementId(theirs) = row.element
MATCH (document:QcgDocument {id: row.document})
CALL (row, theirs) {
  WITH row, theirs WHERE row.inPlace
  WITH row, theirs, [name IN ['id', 'text', 'embedding', 'index'] WHERE theirs[name] IS NULL] +
    CASE WHEN 'Chunk' IN labels(theirs) THEN [] ELSE [':Chunk'] END AS added
  SET theirs:QcgChunk:Chunk, theirs.qcgAdded = added
  RETURN theirs AS chunk
  UNION
  WITH row, theirs WHERE NOT row.inPlace
  MERGE (ours:QcgChunk {id: row.id})
  MERGE (ours)-[:ADOPTED_FROM]->(theirs)
  RETURN ours AS chunk
}
SET chunk.id = row.id, chunk.text = row.text, chunk.textHash = row.textHash, chunk.tokenCount = row.tokenCount,
    chunk.embeddedAs = row.embeddedAs
MERGE (chunk)-[joined:FROM_DOCUMENT]->(document)
ON CREATE SET joined.qcgAdded = true
WITH chunk, row WHERE row.embedding IS NOT NULL
CALL db.create.setNodeVectorProperty(chunk, 'embedding', row.embedding)
