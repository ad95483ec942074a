// One row: how many communities got a synthetic report, whose vector is that of one of their relations.
MATCH (community:QcgCommunity)
WHERE community.embedding IS NULL
CALL (community) {
  MATCH (community)<-[:IN_COMMUNITY]-()-[relation:RELATED_TO]-()
  WITH community, relation LIMIT 1
  SET community.title = relation.ttr, community.summary = relation.ttr, community.report = relation.ttr,
      community.rating = 1.0, community.reportSource = 'synthetic'
  WITH community, relation
  CALL db.create.setNodeVectorProperty(community, 'embedding', relation.embedding)
} IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS communities
