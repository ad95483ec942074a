// One row: our ids of the nodes that GDS numbers so, in that order.
// $numbers: LIST<INTEGER>  node ids as GDS gives them
UNWIND $numbers AS number
RETURN collect(gds.util.asNode(number).id) AS ids
