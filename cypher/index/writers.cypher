// Who has written what the graph holds: a row per kind (queries, extractions, reports) and writer (a model, sentences, spaCy, extractive), with how many.
MATCH (query:QcgQuery)
RETURN 'generate' AS stage, query.source AS writer, count(*) AS number
UNION ALL
MATCH (chunk:QcgChunk) WHERE chunk.extractedBy IS NOT NULL
RETURN 'extract' AS stage, chunk.extractedBy AS writer, count(*) AS number
UNION ALL
MATCH (community:QcgCommunity) WHERE community.reportSource IS NOT NULL
RETURN 'report' AS stage, community.reportSource AS writer, count(*) AS number
