// The chunks of an answer with their documents, and the stored paths from what was hit to them, to be looked at.
// $rows: LIST<MAP>  rows of a statement of retrieve/, best first: the chunk's id, and its paths
// $isFiltered: BOOLEAN  whether other documents are not permitted: then no way over entities or communities is shown
UNWIND range(0, size($rows) - 1) AS place
MATCH (chunk:QcgChunk {id: $rows[place].id}), (document:QcgDocument {id: $rows[place].document})
// All paths to a chunk end in the same way: as a part of each of them, it would be planned as often.
CALL (chunk, document) {
  MATCH end = (chunk)<-[:SAME_TEXT_AS*0..1]-(:QcgChunk)-[:FROM_DOCUMENT]->(document)
  RETURN end ORDER BY length(end) LIMIT 1
}
// Of a walk the chunks and entities are drawn, not what is stated on the way; one over no name is no reason.
WITH place, chunk, document, end, [path IN $rows[place].paths WHERE path[-1].label <> 'Chunk' OR coalesce(path[-1].layer, '') <> 'Entity' | [step IN path WHERE path[-1].layer IS NULL OR NOT step.label IN ['RELATED_TO', 'Atom'] OR size(path) = 1]] AS ways
CALL (chunk, ways) {
  UNWIND range(0, size(ways) - 1) AS number
  WITH number, chunk, CASE WHEN ways[number][0].label = 'Entity' AND ways[number][-1].layer IS NOT NULL AND size(ways[number]) = 3 THEN 'Name' ELSE ways[number][0].label END AS label,
       [step IN ways[number] | step.id] AS ids
  // Entities and communities say what all documents say.
  WHERE NOT $isFiltered OR NOT label IN ['Entity', 'Name', 'Chunk', 'Community', 'RELATED_TO']
  CALL (chunk, label, ids) {
    WITH chunk, label, ids WHERE label = 'Query' AND size(ids) = 1
    MATCH path = (:QcgQuery {id: ids[0]})-[:FROM_CHUNK]->(chunk)
    RETURN path
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Query' AND size(ids) = 2
    MATCH path = (:QcgQuery {id: ids[0]})-[:SIMILAR_TO]->(:QcgQuery {id: ids[1]})-[:FROM_CHUNK]->(chunk)
    RETURN path
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Query' AND size(ids) = 3
    MATCH path = (:QcgQuery {id: ids[0]})-[:SIMILAR_TO]->(:QcgQuery {id: ids[1]})-[:SIMILAR_TO]->(:QcgQuery {id: ids[2]})
      -[:FROM_CHUNK]->(chunk)
    RETURN path
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Window'
    MATCH path = (:QcgWindow {id: ids[0]})-[:FROM_CHUNK]->(chunk)
    RETURN path
    UNION ALL
    // Found by its own text or vector.
    WITH chunk, label, ids WHERE ids = [chunk.id]
    MATCH path = (chunk)
    RETURN path
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Chunk' AND size(ids) = 2
    MATCH path = (:QcgChunk {id: ids[0]})<-[:FROM_CHUNK]-(:QcgEntity {id: ids[1]})-[:FROM_CHUNK]->(chunk)
    RETURN path
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Name'
    MATCH path = (:QcgEntity {id: ids[0]})-[:FROM_CHUNK]->(:QcgChunk {id: ids[1]})<-[:FROM_CHUNK]-(:QcgEntity {id: ids[2]})
      -[:FROM_CHUNK]->(chunk)
    RETURN path LIMIT 1
    UNION ALL
    WITH chunk, label, ids WHERE label = 'RELATED_TO'
    MATCH (start:QcgEntity)-[:RELATED_TO {id: ids[0]}]-()
    MATCH path = (start)-[steps:RELATED_TO*1..6]-(:QcgEntity)-[:FROM_CHUNK]->(chunk)
    WHERE all(step IN steps WHERE step.id IN ids) AND [step IN steps | step.id] = ids
    RETURN path ORDER BY startNode(steps[0]) = start DESC LIMIT 1
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Entity' AND size(ids) = 1
    MATCH path = (:QcgEntity {id: ids[0]})-[:FROM_CHUNK]->(chunk)
    RETURN path
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Community'
    MATCH path = (:QcgCommunity {id: ids[0]})<-[:IN_COMMUNITY]-(:QcgEntity {id: ids[1]})-[:FROM_CHUNK]->(chunk)
    RETURN path
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Atom' AND size(ids) = 1
    MATCH path = (:QcgAtom {id: ids[0]})-[:FROM_CHUNK]->(chunk)
    RETURN path
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Atom' AND size(ids) = 2
    MATCH path = (:QcgAtom {id: ids[0]})-[:SIMILAR_TO]-(:QcgAtom {id: ids[1]})-[:FROM_CHUNK]->(chunk)
    RETURN path
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Entity' AND size(ids) = 2
    MATCH path = (:QcgEntity {id: ids[0]})<-[:MENTIONS]-(:QcgAtom {id: ids[1]})-[:FROM_CHUNK]->(chunk)
    RETURN path LIMIT 1
    UNION ALL
    WITH chunk, label, ids WHERE label = 'Entity' AND size(ids) = 3
    MATCH path = (:QcgEntity {id: ids[0]})-[:RELATED_TO|SYNONYM_OF]-(:QcgEntity {id: ids[1]})<-[:MENTIONS]-(:QcgAtom {id: ids[2]})
      -[:FROM_CHUNK]->(chunk)
    RETURN path LIMIT 1
  }
  WITH path ORDER BY number
  RETURN collect(path) AS paths
}
RETURN place, chunk, document, paths, end
ORDER BY place
