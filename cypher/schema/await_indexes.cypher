// No rows; returns when these indexes are online.
// $names: LIST<STRING>  their names
// $seconds: INTEGER  how long to wait at most for each
UNWIND $names AS name
CALL db.awaitIndex(name, $seconds)
