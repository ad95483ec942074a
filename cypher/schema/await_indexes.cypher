// No rows; returns when every index is online.
// $seconds: INTEGER  how long to wait at most
CALL db.awaitIndexes($seconds)
