// No rows; drops an index.
// $name: STRING  the index's name
DROP INDEX $name IF EXISTS
