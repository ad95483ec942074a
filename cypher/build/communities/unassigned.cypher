// One row: how many entities have no community at the root, and the weight of all relations.
// $isolated: BOOLEAN  whether entities without a relation count
CALL () {
  MATCH (entity:Entity)
  WHERE NOT EXISTS { (entity)-[:IN_COMMUNITY]->(:Community {level: 0}) }
    AND ($isolated OR EXISTS { (entity)-[:RELATED_TO]-() })
  RETURN count(entity) AS entities
}
CALL () {
  MATCH (source:Entity)-[relation:RELATED_TO]->(target:Entity)
  WHERE source <> target
  RETURN toFloat(sum(relation.strength)) AS weight
}
RETURN entities, weight
