// No rows; finds what a chunk states, however many relationships its entities have.
CREATE INDEX qcg_related_to_chunk IF NOT EXISTS
FOR ()-[relation:RELATED_TO]-() ON (relation.chunkId)
