// No rows; creates or updates synthetic questions, and joins each with exactly the atoms that answer it.
// $rows: LIST<MAP>  id, text, batch, source, embedding and atoms (ids) of each question
UNWIND $rows AS row
MERGE (question:QcgSyntheticQuery:SyntheticQuery {id: row.id})
SET question.text = row.text, question.batch = row.batch, question.source = row.source
WITH question, row
CALL (question, row) {
  MATCH (question)-[answered:ANSWERED_BY]->(atom:QcgAtom)
  WHERE NOT atom.id IN row.atoms
  DELETE answered
}
CALL (question, row) {
  UNWIND row.atoms AS id
  MATCH (atom:QcgAtom {id: id})
  MERGE (question)-[:ANSWERED_BY]->(atom)
}
CALL db.create.setNodeVectorProperty(question, 'embedding', row.embedding)
