// A community with all communities inside it, as a graph to look at.
// $id: STRING  id of a community, such as one that inspect/largest_communities lists
MATCH path = (community:Community {id: $id})<-[:PARENT*0..]-(:Community)
RETURN path
