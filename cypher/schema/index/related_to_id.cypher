// No rows; finds relations by id.
CREATE INDEX qcg_related_to_id IF NOT EXISTS
FOR ()-[relation:RELATED_TO]-() ON (relation.id)
