// A community to look at: its entities, the most related first, the relations between them, and the chunks that state these.
// $community: STRING  the community's id
// $entities: INTEGER  how many of its entities are shown at most
MATCH (community:Community {id: $community})<-[:IN_COMMUNITY]-(entity:Entity)
WITH community, entity ORDER BY COUNT { (entity)-[:RELATED_TO]-() } DESC, entity.id LIMIT $entities
WITH community, collect(entity) AS entities
CALL (community, entities) {
  MATCH path = (community)<-[:IN_COMMUNITY]-(entity:Entity)
  WHERE entity IN entities
  RETURN path
  UNION
  MATCH path = (community)-[:PARENT]->(:Community)
  RETURN path
  UNION
  UNWIND entities AS entity
  MATCH path = (entity)-[:RELATED_TO]->(other:Entity)
  WHERE other IN entities
  RETURN path
  UNION
  UNWIND entities AS entity
  MATCH (entity)-[relation:RELATED_TO]->(other:Entity)
  WHERE other IN entities
  MATCH path = (entity)-[:FROM_CHUNK]->(:Chunk {id: relation.chunkId})-[:FROM_DOCUMENT]->(:Document)
  RETURN path
}
RETURN path
