// No rows; drops a constraint.
// $name: STRING  the constraint's name
DROP CONSTRAINT $name IF EXISTS
