// How many nodes have a label that ours have as well, and how many of them are of this corpus.
UNWIND [
  {label: 'Document', number: COUNT { (:Document) }, ours: COUNT { (node:QcgDocument) WHERE node:Document }},
  {label: 'Chunk', number: COUNT { (:Chunk) }, ours: COUNT { (node:QcgChunk) WHERE node:Chunk }},
  {label: 'Window', number: COUNT { (:Window) }, ours: COUNT { (:QcgWindow) }},
  {label: 'Query', number: COUNT { (:Query) }, ours: COUNT { (:QcgQuery) }},
  {label: 'Entity', number: COUNT { (:Entity) }, ours: COUNT { (:QcgEntity) }},
  {label: 'Alias', number: COUNT { (:Alias) }, ours: COUNT { (:QcgAlias) }},
  {label: 'Atom', number: COUNT { (:Atom) }, ours: COUNT { (:QcgAtom) }},
  {label: 'Claim', number: COUNT { (:Claim) }, ours: COUNT { (:QcgClaim) }},
  {label: 'Community', number: COUNT { (:Community) }, ours: COUNT { (:QcgCommunity) }},
  {label: 'SyntheticQuery', number: COUNT { (:SyntheticQuery) }, ours: COUNT { (:QcgSyntheticQuery) }},
  {label: 'LinkPredictor', number: COUNT { (:LinkPredictor) }, ours: COUNT { (:QcgLinkPredictor) }},
  {label: 'Stage', number: COUNT { (:Stage) }, ours: COUNT { (:QcgStage) }},
  {label: 'Corpus', number: COUNT { (:Corpus) }, ours: COUNT { (:QcgCorpus) }},
  {label: 'Lock', number: COUNT { (:Lock) }, ours: COUNT { (:QcgLock) }}
] AS kind
WITH kind WHERE kind.number > 0
RETURN kind.label AS label, kind.number AS number, kind.ours AS ours
