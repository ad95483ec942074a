// What the graph knows about an entity as a graph to look at: its strongest relations and the atoms that mention it.
// $name: STRING  the entity's name, as it is spelt
MATCH (entity:QcgEntity) WHERE toLower(entity.name) = toLower($name)
CALL (entity) {
  MATCH (entity)-[triple:RELATED_TO]-(other:QcgEntity)
  RETURN triple, other ORDER BY triple.strength DESC, triple.id LIMIT 25
}
OPTIONAL MATCH (atom:QcgAtom)-[mention:MENTIONS]->(entity)
WHERE (atom)-[:MENTIONS]->(other)
RETURN entity, triple, other, mention, atom
