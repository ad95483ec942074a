// What reports of communities are written from: entities, relations between them, claims about them or their summaries, and the communities below with their reports.
// $ids: LIST<STRING>  ids of communities
UNWIND $ids AS id
MATCH (community:QcgCommunity {id: id})
CALL (community) {
  MATCH (community)<-[:IN_COMMUNITY]-(entity:QcgEntity)
  // level + 0 keeps the planner from looking up all communities of a level, once per entity.
  OPTIONAL MATCH (entity)-[:IN_COMMUNITY]->(child:QcgCommunity) WHERE child.level + 0 = community.level + 1
  WITH entity, child, COUNT { MATCH (entity)-[:RELATED_TO]-(other:QcgEntity) WHERE other <> entity RETURN DISTINCT other } AS degree
  ORDER BY degree DESC, entity.id
  RETURN collect({
    id: entity.id, name: entity.name, type: entity.type, description: entity.description,
    degree: degree, child: child.id
  }) AS entities
}
CALL (community) {
  MATCH (community)<-[:IN_COMMUNITY]-(source:QcgEntity)-[relation:RELATED_TO]->(target:QcgEntity)
  WHERE source <> target AND EXISTS { (target)-[:IN_COMMUNITY]->(community) }
  RETURN collect({
    id: relation.id, source: source.id, target: target.id, ttr: relation.ttr, strength: relation.strength
  }) AS relations
}
CALL (community) {
  MATCH (community)<-[:IN_COMMUNITY]-(entity:QcgEntity)<-[:ABOUT]-(claim:QcgClaim)
  WITH DISTINCT entity, claim ORDER BY claim.id
  WITH entity, collect(claim {.id, .type, .status, .description}) AS claims
  // A summary of all of them takes their place.
  UNWIND CASE WHEN entity.claimSummaryOf = [claim IN claims | claim.id]
    THEN [{id: entity.id, type: '', status: '', description: entity.claimSummary}] ELSE claims END AS claim
  WITH claim, collect(entity.id) AS entities ORDER BY claim.id
  RETURN collect({
    id: claim.id, type: claim.type, status: claim.status, description: claim.description, entities: entities
  }) AS claims
}
CALL (community) {
  MATCH (child:QcgCommunity)-[:PARENT]->(community)
  WITH child ORDER BY child.id
  RETURN collect({id: child.id, title: child.title, report: child.report}) AS children
}
RETURN community.id AS id, community.level AS level, community.reportMark AS mark,
       entities, relations, claims, children
ORDER BY id
