// No rows; writes reports of communities.
// $rows: LIST<MAP>  id, title, summary, rating, ratingExplanation, findings, report (all of it as text), records (what it cites: number and id), tokens, source, mark, embedding
UNWIND $rows AS row
MATCH (community:QcgCommunity {id: row.id})
SET community.title = row.title, community.summary = row.summary, community.rating = row.rating,
    community.ratingExplanation = row.ratingExplanation, community.findings = row.findings,
    community.report = row.report, community.reportTokens = row.tokens, community.records = row.records,
    community.reportSource = row.source, community.reportMark = row.mark
WITH community, row
CALL db.create.setNodeVectorProperty(community, 'embedding', row.embedding)
