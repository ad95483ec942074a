// A row per level: communities and their sizes, tokens of their reports, and these in percent of the tokens of all chunks.
CALL () {
  MATCH (chunk:QcgChunk)
  RETURN sum(chunk.tokenCount) AS sourceTokens
}
CALL () {
  MATCH (community:QcgCommunity)
  RETURN max(community.level) AS lowest
}
UNWIND range(0, lowest) AS level
MATCH (community:QcgCommunity)
WHERE community.level = level OR (community.leaf AND community.level < level)
WITH level, sourceTokens, count(community) AS communities, max(community.size) AS largest,
     percentileDisc(community.size, 0.5) AS median, sum(community.reportTokens) AS tokens
RETURN level, communities, largest, median, tokens,
       CASE WHEN sourceTokens > 0 THEN round(100.0 * tokens / sourceTokens, 1) END AS percentOfSource
ORDER BY level
