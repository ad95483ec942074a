// One row: that the vector has arrived; the price of the way there and back alone.
// $questionVector: LIST<FLOAT>  the question's embedding, of unit length
RETURN $questionVector IS NOT NULL AS arrived
