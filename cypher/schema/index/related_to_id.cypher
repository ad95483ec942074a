// No rows; each RELATED_TO has a id of its own.
CREATE CONSTRAINT related_to_id IF NOT EXISTS
FOR ()-[relation:RELATED_TO]-() REQUIRE relation.id IS UNIQUE
