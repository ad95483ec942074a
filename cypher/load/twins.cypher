// No rows; of chunks with the same text one represents all: the others keep neither vector nor words, so each text is found once.
// $rows: LIST<MAP>  id of a chunk that was written
UNWIND $rows AS row
MATCH (written:QcgChunk {id: row.id})
WITH collect(DISTINCT written.textHash) AS hashes, collect(row.id) AS fresh
UNWIND hashes AS hash
CALL (hash, fresh) {
  MATCH (chunk:QcgChunk {textHash: hash})
  // What stands for others goes on to, then what is on a node of others, then what something was made from, then what has been there before.
  WITH chunk ORDER BY EXISTS { (chunk)-[:SAME_TEXT_AS]->() }, NOT EXISTS { (chunk)<-[:SAME_TEXT_AS]-() },
    chunk.qcgAdded IS NULL, coalesce(chunk.generated, chunk.extracted) IS NULL, chunk.id IN fresh, chunk.id
  RETURN head(collect(chunk)) AS first, tail(collect(chunk)) AS others
}
UNWIND [other IN others WHERE coalesce(other.generated, other.extracted) IS NULL AND other.qcgAdded IS NULL] AS other
MERGE (other)-[:SAME_TEXT_AS]->(first)
REMOVE other.embedding, other.words, other.expandedWords
WITH other
MATCH (window:QcgWindow)-[:FROM_CHUNK]->(other)
DETACH DELETE window
