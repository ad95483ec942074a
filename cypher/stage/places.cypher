// What people call things that have no reply of a model: a chunk by its document and index, an entity by its name.
// $ids: LIST<STRING>  ids of chunks or entities; others have no row
UNWIND $ids AS id
CALL (id) {
  MATCH (chunk:QcgChunk {id: id})-[:FROM_DOCUMENT]->(document:QcgDocument)
  RETURN document.id + ', chunk ' + toString(chunk.index) AS place
  UNION
  MATCH (entity:QcgEntity {id: id})
  RETURN entity.name AS place
}
RETURN id, head(collect(place)) AS place
