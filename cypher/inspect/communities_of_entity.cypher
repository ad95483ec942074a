// The communities of an entity from the root to the smallest, with its nearest neighbours there, as a graph to look at.
// $name: STRING  the entity's name, as it is spelt
MATCH (entity:Entity) WHERE toLower(entity.name) = toLower($name)
MATCH (entity)-[member:IN_COMMUNITY]->(community:Community)
OPTIONAL MATCH (community)-[parent:PARENT]->(:Community)
OPTIONAL MATCH (entity)-[triple:RELATED_TO]-(other:Entity)-[otherMember:IN_COMMUNITY]->(community)
WHERE community.leaf
RETURN entity, member, community, parent, triple, other, otherMember
ORDER BY community.level
