// No rows; derives name, type and description of entities from what their chunks state; their communities are stale.
// $ids: LIST<STRING>  ids of entities
UNWIND $ids AS id
MATCH (entity:QcgEntity {id: id})-[statement:FROM_CHUNK]->(:QcgChunk)
WITH entity, collect(statement) AS statements
CALL (statements) {
  UNWIND statements AS statement
  WITH statement.name AS name, count(*) AS times
  RETURN name ORDER BY times DESC, name LIMIT 1
}
CALL (statements) {
  UNWIND statements AS statement
  WITH statement.type AS type, count(*) AS times
  RETURN type ORDER BY type = '', times DESC, type LIMIT 1
}
CALL (statements) {
  UNWIND statements AS statement
  WITH statement.description AS description, count(*) AS times
  WHERE description <> ''
  WITH description ORDER BY times DESC, size(description) DESC, description
  RETURN collect(description) AS descriptions
}
// As many whole descriptions as 1,000 characters take, unless a model has summarized exactly these.
WITH entity, name, type, descriptions,
     reduce(text = left(coalesce(head(descriptions), ''), 1000), description IN tail(descriptions) |
            text + CASE WHEN size(text) + size(description) < 1000 THEN ' ' + description ELSE '' END) AS joined
SET entity.name = name, entity.type = type,
    entity.description = CASE WHEN entity.summaryOf = descriptions THEN entity.summary ELSE joined END
// What an entity is in is partitioned and reported again.
WITH entity
CALL (entity) {
  MATCH (entity)-[:IN_COMMUNITY]->(community:QcgCommunity)
  SET community.stale = true
}
