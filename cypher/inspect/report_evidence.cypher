// What the report on a community cites, with the chunks that state it, as a graph to look at.
// $id: STRING  id of a community
MATCH (community:QcgCommunity {id: $id})
UNWIND [record IN community.records | split(record, ' ')] AS record
CALL (community, record) {
  WITH community, record WHERE record[0] STARTS WITH 'R'
  MATCH path = (community)<-[:IN_COMMUNITY]-()-[triple:RELATED_TO {id: record[1]}]->()
  MATCH stated = (:QcgChunk {id: triple.chunkId})-[:FROM_DOCUMENT]->(:QcgDocument)
  RETURN path, stated
  UNION ALL
  WITH community, record WHERE record[0] STARTS WITH 'E'
  MATCH path = (community)<-[:IN_COMMUNITY]-(:QcgEntity {id: record[1]})
  RETURN path, null AS stated
  UNION ALL
  WITH community, record WHERE record[0] STARTS WITH 'S'
  MATCH path = (community)<-[:PARENT]-(:QcgCommunity {id: record[1]})
  RETURN path, null AS stated
  UNION ALL
  WITH community, record WHERE record[0] STARTS WITH 'C'
  MATCH path = (community)<-[:IN_COMMUNITY]-()<-[:ABOUT]-(:QcgClaim {id: record[1]})
  RETURN path, null AS stated
  UNION ALL
  // A summary of the claims about an entity.
  WITH community, record WHERE record[0] STARTS WITH 'C'
  MATCH path = (community)<-[:IN_COMMUNITY]-(:QcgEntity {id: record[1]})<-[:ABOUT]-(:QcgClaim)
  RETURN path, null AS stated
}
RETURN record[0] AS record, path, stated
