// No rows; nearest RELATED_TO relationships by the cosine of the embeddings of their texts (TTR).
// $dimension: INTEGER  how many numbers an embedding has
CREATE VECTOR INDEX qcg_related_to_embedding IF NOT EXISTS
FOR ()-[relation:RELATED_TO]-() ON (relation.embedding)
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false } }
