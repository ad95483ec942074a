// One row: the queries of a slice of the chunks became synthetic questions, answered by those atoms of their chunk that are at least as near as the mean.
// $after: STRING  the id of the chunk that the slice begins behind; '' for the first
// $slice: INTEGER  how many chunks the slice has
MATCH (chunk:QcgChunk)
WHERE chunk.id > $after
WITH chunk ORDER BY chunk.id LIMIT $slice
CALL (chunk) {
  MATCH (chunk)<-[:FROM_CHUNK]-(query:QcgQuery)
  WITH chunk, query, query.embedding AS vector
  CALL (chunk, vector) {
    MATCH (chunk)<-[:FROM_CHUNK]-(atom:QcgAtom)
    WITH atom, vector.similarity.cosine(vector, atom.embedding) AS score
    WITH collect({atom: atom, score: score}) AS scored, avg(score) AS mean
    // With one atom, or equal ones, none lies above the mean.
    RETURN [entry IN scored WHERE entry.score >= mean - 1e-9 | entry.atom] AS atoms
  }
  WITH chunk, query, vector, atoms
  WHERE size(atoms) > 0
  MERGE (question:QcgSyntheticQuery:SyntheticQuery {id: query.id})
  SET question.text = query.text, question.batch = chunk.id, question.source = 'queries'
  WITH question, vector, atoms
  CALL (question, atoms) {
    MATCH (question)-[answered:ANSWERED_BY]->(atom:QcgAtom)
    WHERE NOT atom IN atoms
    DELETE answered
  }
  CALL (question, atoms) {
    UNWIND atoms AS atom
    MERGE (question)-[:ANSWERED_BY]->(atom)
  }
  CALL db.create.setNodeVectorProperty(question, 'embedding', vector)
  RETURN count(question) AS questions
}
WITH max(chunk.id) AS last, count(chunk) AS chunks, sum(questions) AS questions
OPTIONAL MATCH (stage:QcgStage {name: 'questions'})
SET stage.cursor = coalesce(last, stage.cursor)
RETURN last, chunks, questions
