// No rows; marks what belongs to marked chunks, and what only ours have: stages, communities, synthetic queries, the predictor.
MATCH (node:Document|Window|Query|Entity|Alias|Atom|Claim|Community|SyntheticQuery|LinkPredictor|Stage|Corpus)
WITH node, head([label IN labels(node) WHERE label IN ['Document', 'Window', 'Query', 'Entity', 'Alias', 'Atom', 'Claim',
       'Community', 'SyntheticQuery', 'LinkPredictor', 'Stage', 'Corpus']]) AS kind
WHERE NOT 'Qcg' + kind IN labels(node) AND CASE kind
    WHEN 'Document' THEN node.contentHash IS NOT NULL OR EXISTS { (node)<-[:FROM_DOCUMENT]-(:QcgChunk) }
    WHEN 'Alias' THEN EXISTS { (node)-[:ALIAS_OF]->()-[:FROM_CHUNK]->(:QcgChunk) }
    WHEN 'Community' THEN node.id STARTS WITH toString(node.level) + '-' AND node.size IS NOT NULL
    WHEN 'SyntheticQuery' THEN node.batch IS NOT NULL
    WHEN 'LinkPredictor' THEN node.name = 'default' AND node.weights IS NOT NULL
    WHEN 'Stage' THEN node.revision IS NOT NULL
    WHEN 'Corpus' THEN node.id = 'corpus' AND node.embeddingModel IS NOT NULL
    ELSE EXISTS { (node)-[:FROM_CHUNK]->(:QcgChunk) }
  END
CALL (node, kind) {
  SET node:$('Qcg' + kind)
} IN TRANSACTIONS OF 5000 ROWS
