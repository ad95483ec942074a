// No rows; removes an index that a measurement has made.
// $name: STRING  the name of the index
DROP INDEX $name IF EXISTS
