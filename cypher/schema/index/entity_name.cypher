// No rows; full-text search over the names of entities.
CREATE FULLTEXT INDEX qcg_entity_name IF NOT EXISTS
FOR (node:QcgEntity) ON EACH [node.name]
OPTIONS { indexConfig: { `fulltext.analyzer`: 'standard-no-stop-words' } }
