// No rows; finds the reports of communities that are nearest to a vector.
// $dimension: INTEGER  of the embedding model
CREATE VECTOR INDEX qcg_community_embedding IF NOT EXISTS
FOR (community:QcgCommunity) ON community.embedding
OPTIONS { indexConfig: { `vector.dimensions`: $dimension, `vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false } }
