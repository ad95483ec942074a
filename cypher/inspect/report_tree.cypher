// A community with all communities inside it, as a graph to look at.
// $id: STRING  id of a community, such as one that inspect/largest_communities lists
MATCH path = (community:QcgCommunity {id: $id})<-[:PARENT*0..]-(:QcgCommunity)
RETURN path
