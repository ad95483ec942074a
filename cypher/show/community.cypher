// A community to look at: its entities, the most related first, the relations between them, and the chunks that state these.
// $community: STRING  the community's id
// $entities: INTEGER  how many of its entities are shown at most
MATCH (community:QcgCommunity {id: $community})<-[:IN_COMMUNITY]-(entity:QcgEntity)
WITH community, entity ORDER BY COUNT { (entity)-[:RELATED_TO]-() } DESC, entity.id LIMIT $entities
WITH community, collect(entity) AS entities
CALL (community, entities) {
  MATCH path = (community)<-[:IN_COMMUNITY]-(entity:QcgEntity)
  WHERE entity IN entities
  RETURN path
  UNION
  MATCH path = (community)-[:PARENT]->(:QcgCommunity)
  RETURN path
  UNION
  UNWIND entities AS entity
  MATCH path = (entity)-[:RELATED_TO]->(other:QcgEntity)
  WHERE other IN entities
  RETURN path
  UNION
  UNWIND entities AS entity
  MATCH (entity)-[relation:RELATED_TO]->(other:QcgEntity)
  WHERE other IN entities
  MATCH path = (entity)-[:FROM_CHUNK]->(:QcgChunk {id: relation.chunkId})-[:FROM_DOCUMENT]->(:QcgDocument)
  RETURN path
}
RETURN path
