// No rows; finds entities by the words of their name without what follows in brackets.
CREATE INDEX qcg_entity_short_spelling IF NOT EXISTS
FOR (entity:QcgEntity) ON (entity.shortSpelling)
