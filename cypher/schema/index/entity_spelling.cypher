// No rows; finds entities by the words of their name.
CREATE INDEX entity_spelling IF NOT EXISTS
FOR (entity:Entity) ON (entity.spelling)
