// How many nodes of others have a label that ours have as well; no row where there are none.
UNWIND [
  {label: 'Document', number: COUNT { (:Document) } - COUNT { (:QcgDocument) }},
  {label: 'Chunk', number: COUNT { (:Chunk) } - COUNT { (:QcgChunk) }},
  {label: 'Window', number: COUNT { (:Window) } - COUNT { (:QcgWindow) }},
  {label: 'Query', number: COUNT { (:Query) } - COUNT { (:QcgQuery) }},
  {label: 'Entity', number: COUNT { (:Entity) } - COUNT { (:QcgEntity) }},
  {label: 'Alias', number: COUNT { (:Alias) } - COUNT { (:QcgAlias) }},
  {label: 'Atom', number: COUNT { (:Atom) } - COUNT { (:QcgAtom) }},
  {label: 'Claim', number: COUNT { (:Claim) } - COUNT { (:QcgClaim) }},
  {label: 'Community', number: COUNT { (:Community) } - COUNT { (:QcgCommunity) }},
  {label: 'SyntheticQuery', number: COUNT { (:SyntheticQuery) } - COUNT { (:QcgSyntheticQuery) }},
  {label: 'LinkPredictor', number: COUNT { (:LinkPredictor) } - COUNT { (:QcgLinkPredictor) }},
  {label: 'Stage', number: COUNT { (:Stage) } - COUNT { (:QcgStage) }},
  {label: 'Corpus', number: COUNT { (:Corpus) } - COUNT { (:QcgCorpus) }},
  {label: 'Lock', number: COUNT { (:Lock) } - COUNT { (:QcgLock) }}
] AS kind
WITH kind WHERE kind.number > 0
RETURN kind.label AS label, kind.number AS number
