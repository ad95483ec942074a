// No rows; removes the reports of communities that get none any more.
// $minimumSize: INTEGER  entities of a community that gets a report
MATCH (community:QcgCommunity)
WHERE community.size < $minimumSize AND community.reportMark IS NOT NULL
REMOVE community.title, community.summary, community.rating, community.ratingExplanation, community.findings,
       community.report, community.reportTokens, community.records, community.reportSource, community.reportMark,
       community.embedding
