// No rows; finds entities by the words of their name.
CREATE INDEX qcg_entity_spelling IF NOT EXISTS
FOR (entity:QcgEntity) ON (entity.spelling)
