// The communities of a level that are to be split and have entities without a community below, with their sizes.
// $level: INTEGER  their level
// $maximumSize: INTEGER  entities of a community that is not split
MATCH (community:Community {level: $level})
WHERE community.size > $maximumSize AND community.leaf IS NULL
  AND EXISTS {
    (community)<-[:IN_COMMUNITY]-(entity:Entity)
    WHERE NOT EXISTS { (entity)-[:IN_COMMUNITY]->(:Community {level: $level + 1}) }
  }
RETURN community.id AS id, community.size AS size
ORDER BY id
