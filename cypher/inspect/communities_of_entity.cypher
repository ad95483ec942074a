// The communities of an entity from the root to the smallest, with its nearest neighbours there, as a graph to look at.
// $name: STRING  the entity's name, as it is spelt
MATCH (entity:QcgEntity) WHERE toLower(entity.name) = toLower($name)
MATCH (entity)-[member:IN_COMMUNITY]->(community:QcgCommunity)
OPTIONAL MATCH (community)-[parent:PARENT]->(:QcgCommunity)
OPTIONAL MATCH (entity)-[triple:RELATED_TO]-(other:QcgEntity)-[otherMember:IN_COMMUNITY]->(community)
WHERE community.leaf
RETURN entity, member, community, parent, triple, other, otherMember
ORDER BY community.level
